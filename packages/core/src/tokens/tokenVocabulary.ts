import {
  CAPITAL_PAIRS,
  CHARACTER_COSTS,
  REPEATS,
  SMALL_PAIRS,
  SMALL_TRIPLES,
  WORDS_AFTER_SPACE,
  WORDS_EVERYWHERE
} from "./tokenTables.ts"

/** The tables of `tokenTables.ts`, unpacked for fast look-up. */
export interface TokenVocabulary {
  /** Texts known to be one token: words, with or without the space before. */
  readonly words: ReadonlySet<string>
  /** By `first * 32 + second`, letters from 1, the space before them 0; capitals alike in their own table. */
  readonly smallPairs: Uint8Array
  readonly smallTriples: Uint8Array
  readonly capitalPairs: Uint8Array
  /** Tokens of one character, from `FIRST_CHARACTER`. */
  readonly characters: Uint8Array
  /** The longest repetition of an ASCII character in one token. */
  readonly repeats: Uint8Array
}

export const FIRST_CHARACTER = 0x80

const answers = function* (packed: string): Generator<boolean> {
  for (const character of packed) {
    const six = character === "~" ? 44 : character.charCodeAt(0) - 48
    for (let bit = 0; bit < 6; bit++) yield (six & (1 << bit)) !== 0
  }
}

/** Answers in the order of `firsts` (each combination of up to two letters before) by the letters 1 to 26. */
const table = (packed: string, firsts: ReadonlyArray<number>, size: number): Uint8Array => {
  const unpacked = new Uint8Array(size)
  const source = answers(packed)
  for (const first of firsts) {
    for (let letter = 1; letter <= 26; letter++) unpacked[first * 32 + letter] = source.next().value === true ? 1 : 0
  }
  return unpacked
}

const upTo = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const words = (): ReadonlySet<string> => {
  const known = new Set<string>()
  for (const word of WORDS_AFTER_SPACE.split(" ")) known.add(` ${word}`)
  for (const word of WORDS_EVERYWHERE.split(" ")) {
    const capitalized = word.charAt(0).toUpperCase() + word.slice(1)
    for (const form of [word, capitalized]) known.add(form).add(` ${form}`)
  }
  return known
}

const characters = (): Uint8Array => {
  const costs: Array<number> = []
  for (const [, length, cost] of CHARACTER_COSTS.matchAll(/([0-9a-z]*)([A-D])/g)) {
    const count = length === "" ? 1 : Number.parseInt(length ?? "1", 36)
    for (let index = 0; index < count; index++) costs.push("_ABCD".indexOf(cost ?? "D"))
  }
  return Uint8Array.from(costs)
}

const unpack = (): TokenVocabulary => ({
  words: words(),
  smallPairs: table(SMALL_PAIRS, upTo(0, 26), 27 * 32),
  smallTriples: table(
    SMALL_TRIPLES,
    upTo(0, 26).flatMap((first) => upTo(1, 26).map((second) => first * 32 + second)),
    27 * 32 * 32
  ),
  capitalPairs: table(CAPITAL_PAIRS, upTo(1, 26), 27 * 32),
  characters: characters(),
  repeats: Uint8Array.from(REPEATS, (digit) => Number.parseInt(digit, 36))
})

let unpacked: TokenVocabulary | undefined

/** The vocabulary; unpacked when first asked for. */
export const tokenVocabulary = (): TokenVocabulary => (unpacked ??= unpack())
