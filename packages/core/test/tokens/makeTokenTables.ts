import ranks from "gpt-tokenizer/esm/bpeRanks/cl100k_base"
import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base"

/** Words listed, most frequent first: the order in which cl100k learned them. */
const WORDS = 4_000

const SPACE_AND_LETTERS = " abcdefghijklmnopqrstuvwxyz"
const LETTERS = SPACE_AND_LETTERS.slice(1)
const CAPITALS = LETTERS.toUpperCase()

/** The larger of the two public tokenizers' counts. */
export const countTokens = (text: string): number => {
  const plain = { disallowedSpecial: new Set<string>() }
  return Math.max(encodeCl100k(text, plain).length, encodeO200k(text, plain).length)
}

const isToken = (text: string): boolean => countTokens(text) === 1
/**
 * Words that some tokenizer cuts into more than two tokens if a sign or letter before them joins their first letters.
 * `tokens.long.test.ts` finds them, which takes minutes.
 */
export const WORDS_CUT_BY_NEIGHBOURS: ReadonlySet<string> = new Set(
  (
    "accepted associated beautiful columns commands installation levels ordered organization products professional " +
    "projects recommend recommended registered repository requirements results started starting structure technical " +
    "technology variables"
  ).split(" ")
)

export const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

const commonWords = () => {
  const words = ranks
    .filter((token): token is string => typeof token === "string" && /^ [a-z]{2,}$/.test(token))
    .filter(isToken)
    .slice(0, WORDS)
    .map((token) => token.slice(1))
  const everyForm = (word: string) =>
    !WORDS_CUT_BY_NEIGHBOURS.has(word) && [word, capitalized(word), ` ${capitalized(word)}`].every(isToken)
  const sorted = words.toSorted()
  return {
    everywhere: sorted.filter(everyForm).join(" "),
    afterSpace: sorted.filter((word) => !everyForm(word)).join(" ")
  }
}

/** Six yes-or-no answers to a character. */
const bits = (answers: ReadonlyArray<boolean>): string => {
  let text = ""
  for (let index = 0; index < answers.length; index += 6) {
    const six = answers.slice(index, index + 6).reduce((sum, yes, bit) => sum + (yes ? 1 << bit : 0), 0)
    text += String.fromCharCode(48 + six)
  }
  return text.replaceAll("\\", "~")
}

const pairs = (first: string, second: string) => bits([...first].flatMap((a) => [...second].map((b) => isToken(a + b))))

const triples = () =>
  bits([...SPACE_AND_LETTERS].flatMap((a) => [...LETTERS].flatMap((b) => [...LETTERS].map((c) => isToken(a + b + c)))))

/** Tokens of each character from U+0080 to U+1FAFF alone, as runs: a length in base 36 and a letter, A for one token. */
const characterCosts = (): string => {
  const runs: Array<[number, number]> = []
  for (let code = 0x80; code <= 0x1faff; code++) {
    const cost = code >= 0xd800 && code <= 0xdfff ? 3 : countTokens(String.fromCodePoint(code))
    const last = runs.at(-1)
    if (last?.[1] === cost) last[0] += 1
    else runs.push([1, cost])
  }
  return runs.map(([length, cost]) => (length === 1 ? "" : length.toString(36)) + "_ABCD".charAt(cost)).join("")
}

/** The longest repetition of each ASCII character that is still one token, as base 36 digits from U+0000. */
const repeats = (): string =>
  Array.from({ length: 128 }, (_, code) => {
    let count = 1
    while (count < 35 && isToken(String.fromCharCode(code).repeat(count + 1))) count++
    return count.toString(36)
  }).join("")

/** The source text of `packages/core/src/tokens/tokenTables.ts`. */
export const makeTokenTables = (): string => {
  const { afterSpace, everywhere } = commonWords()
  const constant = (comment: string, name: string, value: string) =>
    `/** ${comment} */\nexport const ${name}: string =\n  ${JSON.stringify(value)}\n`
  return [
    "// Facts about the vocabularies cl100k and o200k, true of both; written by test/tokens/makeTokenTables.ts and checked there.\n",
    constant(
      "Words that are one token in lower case and capitalized, after a space and without, and which any neighbour before cuts in two at most.",
      "WORDS_EVERYWHERE",
      everywhere
    ),
    constant("Words that are one token in lower case after a space.", "WORDS_AFTER_SPACE", afterSpace),
    constant(
      "Which of a space or small letter followed by a small letter are tokens; six answers a character.",
      "SMALL_PAIRS",
      pairs(SPACE_AND_LETTERS, LETTERS)
    ),
    constant("The same for a further small letter.", "SMALL_TRIPLES", triples()),
    constant("The same for pairs of capitals.", "CAPITAL_PAIRS", pairs(CAPITALS, CAPITALS)),
    constant(
      "Tokens of each character from U+0080 alone, as runs: a length in base 36 (one if missing) and a letter, A for one.",
      "CHARACTER_COSTS",
      characterCosts()
    ),
    constant("How often each ASCII character may be repeated in one token, in base 36.", "REPEATS", repeats())
  ].join("\n")
}
