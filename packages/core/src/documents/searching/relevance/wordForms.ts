/** Two forms of one word begin with the same letters: at least so many, and all of the shorter form but so many. */
const STEM = { least: 4, ending: 2 } as const
/** Shorter words differ by a letter too often. */
const MISTYPED_FROM = 5

/**
 * Whether two words are likely forms of one word, or one of them is the other one mistyped. More generous than the stems by which
 * passages are found, and alike for all languages: a wrong yes only keeps a passage that could have been left out.
 */
export const isAlike = (one: string, other: string): boolean => {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one]
  return isForm(shorter, longer) || isMistyped(shorter, longer)
}

const isForm = (shorter: string, longer: string): boolean => {
  let alike = 0
  while (alike < shorter.length && shorter[alike] === longer[alike]) alike++
  const least = Math.max(Math.min(STEM.least, shorter.length), shorter.length - STEM.ending)
  return shorter.length >= 3 && alike >= least && longer.length <= 2 * shorter.length
}

/** The same letters in another order, or all but one of them. */
const isMistyped = (shorter: string, longer: string): boolean =>
  longer.length >= MISTYPED_FROM && longer.length - shorter.length <= 1 && lettersWithout(longer, shorter) <= 1

/** How many letters of a word are left if each letter of another is taken from it once. */
const lettersWithout = (word: string, other: string): number => {
  let left = word
  for (const letter of other) left = left.replace(letter, "")
  return left.length
}
