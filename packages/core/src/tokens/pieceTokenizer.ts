import {
  CAPITAL_PAIRS,
  CHARACTER_COSTS,
  REPEATS,
  SMALL_PAIRS,
  SMALL_TRIPLES,
  WORDS_AFTER_SPACE,
  WORDS_EVERYWHERE
} from "./tokenTables.ts"
import type { TokenizerService } from "./TokenizerService.ts"

/** The tables of `tokenTables.ts`, unpacked for fast look-up. */
interface TokenVocabulary {
  /** Texts that are known to be one token: words, with or without the preceding space. */
  readonly words: ReadonlySet<string>
  /**
   * Whether pairs are tokens, at `first * 32 + second`: letters from 1, the preceding space 0. Capitals have a table of
   * the same form.
   */
  readonly smallPairs: Uint8Array
  readonly smallTriples: Uint8Array
  readonly capitalPairs: Uint8Array
  /** The numbers of tokens of single characters, from `FIRST_CHARACTER` on. */
  readonly characters: Uint8Array
  /** For each ASCII character, the longest repetition that is one token. */
  readonly repeats: Uint8Array
}

const FIRST_CHARACTER = 0x80

const answers = function* (packed: string): Generator<boolean> {
  for (const character of packed) {
    const six = character === "~" ? 44 : character.charCodeAt(0) - 48
    for (let bit = 0; bit < 6; bit++) yield (six & (1 << bit)) !== 0
  }
}

/**
 * Unpacks a table: rows in the order of `firsts` (each combination of up to two preceding letters), columns for the
 * letters 1 to 26.
 */
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

/** Returns the vocabulary; it is unpacked at the first call. */
export const tokenVocabulary = (): TokenVocabulary => (unpacked ??= unpack())

/** The position of the count, and the counts so far. */
interface Count {
  index: number
  /** The upper bound: no tokenizer counts more. */
  most: number
  /** The usual count, in parts of a token. */
  usualParts: number
}

/**
 * Parts per token for the usual count: sums of whole numbers are exact in any order, so a text has the same count
 * whether it is counted in one call or in steps. 1/4.6, 1/2.2, 1/20 and 1/128 of a token are whole numbers of parts.
 */
const PARTS_PER_TOKEN = 161_920
const PARTS_PER_SMALL = PARTS_PER_TOKEN / 4.6
const PARTS_PER_CAPITAL = PARTS_PER_TOKEN / 2.2
const PARTS_OF_LONE_SPACE = PARTS_PER_TOKEN * 0.3
const PARTS_OF_REPEATED = PARTS_PER_TOKEN * 0.2
const PARTS_PER_CHARACTER_TOKEN = PARTS_PER_TOKEN * 0.75

const SPACE = 0x20
const APOSTROPHE = 0x27
const [SMALL_A, SMALL_Z, CAPITAL_A, CAPITAL_Z, DIGIT_0, DIGIT_9] = [0x61, 0x7a, 0x41, 0x5a, 0x30, 0x39]
const FIRST_OF_THREE_BYTES = 0x800
const NONE = new Uint8Array(0)
const NEVER = -1_000_000
/** Usually, this many spaces are at most one token. */
const SPACES_PER_TOKEN = 128
/** In longer runs of letters, each letter counts as a token. */
const LONGEST_RUN = 16 * 1024

const isSmall = (unit: number): boolean => unit >= SMALL_A && unit <= SMALL_Z
const isCapital = (unit: number): boolean => unit >= CAPITAL_A && unit <= CAPITAL_Z
/**
 * Returns true if a token may cover letters together with this neighbour, which is not the case for spaces, digits and
 * line ends.
 */
const isOpen = (unit: number): boolean => unit !== SPACE && unit !== 0x0a && unit !== 0x0d && !isDigit(unit)
const isDigit = (unit: number): boolean => unit >= DIGIT_0 && unit <= DIGIT_9

/** Returns the end of the run of units between `first` and `last`. */
const runEnd = (text: string, start: number, first: number, last: number): number => {
  let end = start
  while (end < text.length && text.charCodeAt(end) >= first && text.charCodeAt(end) <= last) end++
  return end
}

/**
 * Returns the maximum number of tokens into which letters can be cut. After byte-pair encoding, no two neighbouring
 * tokens together are a token of the vocabulary. So for each position the largest count is computed whose last token
 * has one letter, two letters, or more, without two neighbours that are known to be one token together. A space counts
 * as a letter. At an open end, a token that begins or ends outside may cover some of the letters, and its neighbours
 * are unknown.
 */
const mostOfLetters = (text: string, start: number, end: number, table: LetterTable): number => {
  // Real text never has so many letters without a space, and counting them exactly would take long.
  if (end - start > LONGEST_RUN) return end - start
  const { letterBefore, pairs, triples } = table
  const openBefore = start > 0 && isOpen(text.charCodeAt(start - 1))
  const openAfter = end < text.length && isOpen(text.charCodeAt(end))
  // The counts for one position back, two positions back, and the best of all earlier positions.
  let oneAt1 = NEVER
  let twoAt1 = NEVER
  let moreAt1 = 0
  let oneAt2 = NEVER
  let twoAt2 = NEVER
  let moreAt2 = NEVER
  let bestBefore = NEVER
  let previous = 0
  let last = 0
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index)
    const letter = unit === SPACE ? 0 : unit - letterBefore
    const joined = index > start && pairs[last * 32 + letter] === 1
    const joined3 = index > start + 1 && triples[(previous * 32 + last) * 32 + letter] === 1
    const one = 1 + Math.max(joined ? NEVER : oneAt1, joined3 ? NEVER : twoAt1, moreAt1)
    const two = 1 + Math.max(joined3 ? NEVER : oneAt2, twoAt2, moreAt2)
    const more = Math.max(1 + bestBefore, openBefore ? 0 : NEVER)
    bestBefore = Math.max(bestBefore, oneAt2, twoAt2, moreAt2)
    oneAt2 = oneAt1
    twoAt2 = twoAt1
    moreAt2 = moreAt1
    oneAt1 = one
    twoAt1 = two
    moreAt1 = more
    previous = last
    last = letter
  }
  const closed = Math.max(oneAt1, twoAt1, moreAt1)
  return openAfter ? Math.max(closed, 1 + Math.max(oneAt2, twoAt2, moreAt2, bestBefore)) : closed
}

/**
 * Returns true if this character can join the letters beside it to one word: letters beyond ASCII, and the ending after
 * an apostrophe.
 */
const continuesWord = (text: string, index: number): boolean => {
  if (index < 0 || index >= text.length) return false
  const unit = text.charCodeAt(index)
  return unit >= FIRST_CHARACTER || unit === APOSTROPHE
}

/**
 * The known pairs and triples of letters of one case: the code before the first letter, and the combinations that are
 * one token.
 */
interface LetterTable {
  readonly letterBefore: number
  readonly pairs: Uint8Array
  readonly triples: Uint8Array
}

/** Counts a word of lower-case letters, with a capital before them or not, and with the preceding space or not. */
const countWord = (text: string, start: number, spaced: boolean, count: Count, known: TokenVocabulary): void => {
  const letters = isCapital(text.charCodeAt(start)) ? start + 1 : start
  const end = runEnd(text, letters, SMALL_A, SMALL_Z)
  const from = spaced ? start - 1 : start
  count.index = end
  const listed = !continuesWord(text, start - 1) && !continuesWord(text, end) && known.words.has(text.slice(from, end))
  const alone = spaced || start === 0 || !isOpen(text.charCodeAt(start - 1))
  count.usualParts += listed ? PARTS_PER_TOKEN : Math.max(PARTS_PER_TOKEN, (end - start) * PARTS_PER_SMALL)
  if (listed && alone) {
    count.most += 1
    return
  }
  const capital = letters > start ? 1 : 0
  const table = { letterBefore: SMALL_A - 1, pairs: known.smallPairs, triples: known.smallTriples }
  const most = capital + mostOfLetters(text, capital === 1 ? letters : from, end, table)
  // The first letters of a listed word may be joined with the text before it.
  count.most += listed ? Math.min(most, 2) : most
}

/** Counts capitals and the word after them; the last capital before lower-case letters belongs to that word. */
const countLetters = (text: string, spaced: boolean, count: Count, known: TokenVocabulary): void => {
  const start = count.index
  const capitals = runEnd(text, start, CAPITAL_A, CAPITAL_Z)
  const small = capitals < text.length && isSmall(text.charCodeAt(capitals))
  const end = small ? capitals - 1 : capitals
  if (end <= start) return countWord(text, start, spaced, count, known)
  if (spaced) count.most += 1
  count.index = end
  const table = { letterBefore: CAPITAL_A - 1, pairs: known.capitalPairs, triples: NONE }
  count.most += mostOfLetters(text, start, end, table)
  count.usualParts += Math.max(PARTS_PER_TOKEN, (end - start) * PARTS_PER_CAPITAL)
}

/** Counts digits, which are cut in threes; the bound also covers tokenizers that cut in twos. */
const countDigits = (text: string, count: Count): void => {
  const end = runEnd(text, count.index, DIGIT_0, DIGIT_9)
  count.most += Math.ceil((end - count.index) / 2)
  count.usualParts += Math.ceil((end - count.index) / 3) * PARTS_PER_TOKEN
  count.index = end
}

/**
 * Counts repetitions of an ASCII character. If up to k repetitions are one token, two neighbouring tokens together have
 * more than k of them, so n repetitions are at most 2n / (k + 1) + 1 tokens.
 */
const countRepeated = (text: string, unit: number, count: Count, known: TokenVocabulary): void => {
  const start = count.index
  const end = runEnd(text, start, unit, unit)
  const length = end - start
  count.index = end
  // White space is cut in two before a character that is not joined with it.
  const cuts = unit < SPACE ? 2 : 1
  const most = Math.min(length, Math.floor((2 * length) / ((known.repeats[unit] ?? 1) + 1)) + cuts)
  count.most += most
  count.usualParts += PARTS_OF_REPEATED + (most * PARTS_PER_TOKEN) / 2
}

const countSpaces = (text: string, count: Count, known: TokenVocabulary): void => {
  const start = count.index
  const end = runEnd(text, start, SPACE, SPACE)
  const next = end < text.length ? text.charCodeAt(end) : SPACE
  const belongs = isSmall(next) || isCapital(next)
  const free = belongs ? end - start - 1 : end - start
  count.index = end
  if (free > 0) {
    // The bound for repetitions applies here as well.
    count.most += Math.min(free, Math.floor((2 * free) / ((known.repeats[SPACE] ?? 1) + 1)) + (belongs ? 1 : 2))
    const parts = (free * PARTS_PER_TOKEN) / SPACES_PER_TOKEN
    count.usualParts += free === 1 && !belongs ? PARTS_OF_LONE_SPACE : Math.max(PARTS_PER_TOKEN, parts)
  }
  if (belongs) countLetters(text, true, count, known)
}

/**
 * Counts a run of characters beyond ASCII. Characters of three bytes may be cut if a neighbour takes one of their
 * bytes.
 */
const countCharacters = (text: string, count: Count, known: TokenVocabulary): void => {
  let characters = 0
  while (count.index < text.length) {
    const code = text.codePointAt(count.index) ?? 0
    if (code < FIRST_CHARACTER) break
    const wide = code > 0xffff
    const most = known.characters[code - FIRST_CHARACTER] ?? (wide ? 4 : 3)
    if (code >= FIRST_OF_THREE_BYTES) characters += 1
    count.most += most
    count.usualParts += most * PARTS_PER_CHARACTER_TOKEN
    count.index += wide ? 2 : 1
  }
  if (characters > 0) count.most += 1 + Math.floor(characters / 10)
}

/** Returns the estimated number of tokens, never more than the upper bound. */
const estimateOf = (most: number, usualParts: number): number => Math.min(most, Math.ceil(usualParts / PARTS_PER_TOKEN))

/** Counts at least this many more characters; returns true if there are more. */
const countOn = (text: string, count: Count, characters: number): boolean => {
  const known = tokenVocabulary()
  const end = Math.min(text.length, count.index + characters)
  while (count.index < end) {
    const unit = text.charCodeAt(count.index)
    if (unit >= FIRST_CHARACTER) countCharacters(text, count, known)
    else if (unit === SPACE) countSpaces(text, count, known)
    else if (isSmall(unit) || isCapital(unit)) countLetters(text, false, count, known)
    else if (isDigit(unit)) countDigits(text, count)
    else countRepeated(text, unit, count, known)
  }
  return count.index < text.length
}

/** Counts a whole text. */
const countPieces = (text: string): Count => {
  const count: Count = { index: 0, most: 0, usualParts: 0 }
  countOn(text, count, Infinity)
  return count
}

/**
 * The text after the last possible cut is counted again in each call; if it is longer than this number of characters,
 * it is cut at its end.
 */
const LONGEST_TAIL = 4_096

/**
 * Returns the last offset at which a growing text may be cut without changing the count: before its last single space.
 */
const lastCut = (text: string): number => {
  let index = text.lastIndexOf(" ")
  while (index > 0 && text[index - 1] === " ") index -= 1
  return Math.max(0, index)
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

/**
 * Counts a growing text with the estimate of `pieceTokenizer.count`, in time that is linear in its final length. Each
 * call takes the whole text so far and returns its tokens.
 */
const countGrowing = (): ((text: string) => number) => {
  let counted = 0
  let most = 0
  let usualParts = 0
  return (text) => {
    const tail = text.slice(counted)
    const end = tail.length > LONGEST_TAIL && lastCut(tail) === 0 ? tail.length : lastCut(tail)
    const cut = end === tail.length && isHighSurrogate(tail.charCodeAt(end - 1)) ? end - 1 : end
    if (cut > 0) {
      const whole = countPieces(tail.slice(0, cut))
      most += whole.most
      usualParts += whole.usualParts
    }
    counted += cut
    const rest = countPieces(tail.slice(cut))
    return estimateOf(most + rest.most, usualParts + rest.usualParts)
  }
}

/**
 * Counts piece by piece, as tokenizers cut a text, with facts about OpenAI's cl100k and o200k (`tokenTables.ts`):
 * common words that are one token, letters that are always joined, and the number of tokens of each character. The
 * bound holds for both, with room for vendors that publish no tokenizer; it is usually less than twice the real count.
 */
export const pieceTokenizer: TokenizerService = {
  count: (text) => {
    const { most, usualParts } = countPieces(text)
    return { max: most, estimate: estimateOf(most, usualParts) }
  },
  countInSteps: (text) => {
    const count: Count = { index: 0, most: 0, usualParts: 0 }
    return (characters) => {
      if (countOn(text, count, characters)) return undefined
      return { max: count.most, estimate: estimateOf(count.most, count.usualParts) }
    }
  },
  countGrowing
}
