import fc from "fast-check"

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

const characters = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((code) => String.fromCodePoint(code))

const textOf = (unit: fc.Arbitrary<string>) =>
  fc.array(unit, { minLength: 1, maxLength: 40 }).map((all) => all.join(""))

/**
 * Kinds of text in which tokens do not end at the ends of characters or words, so that counting characters or words is
 * wrong.
 */
export const awkwardTexts = (words: ReadonlyArray<string>): ReadonlyArray<readonly [string, fc.Arbitrary<string>]> => {
  const word = fc.constantFrom(...words)
  const namePart = fc.oneof(word, word.map(capitalized), fc.constantFrom("HTTP", "Id", "x", "v2", "42"))
  return [
    ["small letters", textOf(characters(0x61, 0x7a))],
    ["capitals", textOf(characters(0x41, 0x5a))],
    ["letters and digits", textOf(fc.oneof(characters(0x61, 0x7a), characters(0x41, 0x5a), characters(0x30, 0x39)))],
    ["ASCII", textOf(characters(0, 0x7f))],
    ["camelCase", textOf(namePart)],
    [
      "snake_case and paths",
      textOf(
        fc
          .tuple(fc.constantFrom("_", "-", ".", "/", "(", "'", '"', "$", "@", ":"), namePart)
          .map((pair) => pair.join(""))
      )
    ],
    [
      "contractions",
      textOf(fc.tuple(namePart, fc.constantFrom("'s", "'T", "'re ", "’s ", "'")).map((p) => p.join("")))
    ],
    ["accents in words", textOf(fc.tuple(word, characters(0xc0, 0x24f)).map((pair) => pair.join("")))],
    ["two-byte scripts", textOf(fc.oneof(characters(0x370, 0x6ff), fc.constant(" ")))],
    ["Indic scripts and Thai", textOf(characters(0x900, 0xe7f))],
    ["signs and kana", textOf(fc.oneof(characters(0x2000, 0x2bff), characters(0x3000, 0x30ff)))],
    ["Chinese characters", textOf(fc.oneof(characters(0x4e00, 0x9fff), fc.constant(" ")))],
    ["Korean", textOf(characters(0xac00, 0xd7a3))],
    ["emoji", textOf(fc.oneof(characters(0x1f300, 0x1faff), fc.constantFrom("\u200d", "\ufe0f", "🏽")))],
    ["any character", fc.string({ unit: "binary", maxLength: 40 })],
    ["lone surrogates", textOf(fc.integer({ min: 0xd700, max: 0xe100 }).map((unit) => String.fromCharCode(unit)))],
    ["repetition", textOf(fc.tuple(characters(0, 0x7f), fc.integer({ min: 1, max: 60 })).map(([c, n]) => c.repeat(n)))],
    [
      "white space",
      textOf(fc.constantFrom(" ", "  ", "\t\t", "\n\n\n", "\r\n", " \n ", "a", "1", "(", "\u00a0", "\u3000"))
    ]
  ]
}
