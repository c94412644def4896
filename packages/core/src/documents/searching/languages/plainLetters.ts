/** Small letters that people without them type as others, and that have no mark to take off. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ł: "l",
  ı: "i"
}

const LETTERS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join("")}]`, "gu")

/** A decomposed text in lower case with the letters in the place of those that no decomposition takes apart. */
export const plainLetters = (text: string): string => text.replace(LETTERS, (letter) => PLAIN_LETTERS[letter] ?? letter)
