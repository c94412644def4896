import { FUNCTION_WORDS, LANGUAGES, type Language } from "@parley/core/adapter"

/** The number of UTF-16 units of a text that are examined. */
const SAMPLE_LENGTH = 4_000
const LETTERS = /\p{L}+/gu

/**
 * Returns the language of a text, by its function words; undefined if the text has too few of any language, or if two
 * languages fit alike. `least` is the number it must have, 3 by default.
 */
export const languageOf = (text: string, least = 3): Language | undefined => {
  const counts = new Map<Language, number>()
  for (const [word] of text.slice(0, SAMPLE_LENGTH).toLowerCase().matchAll(LETTERS)) {
    for (const language of LANGUAGES) {
      if (FUNCTION_WORDS[language].has(word)) counts.set(language, (counts.get(language) ?? 0) + 1)
    }
  }
  const [best, second] = [...counts].sort(([, one], [, other]) => other - one)
  if (best === undefined || best[1] < least || best[1] === second?.[1]) return undefined
  return best[0]
}
