import { type Language, LANGUAGES } from "./format.ts"

const KEY = "parley.language"

const isLanguage = (value: unknown): value is Language => LANGUAGES.some((language) => language === value)

/**
 * The language that the person chose before; otherwise the first of the browser's languages in which the application
 * has texts.
 */
export const preferredLanguage = (): Language => {
  const chosen = localStorage.getItem(KEY)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? "en"
}

/**
 * The locale for dates and numbers: the browser's locale of that language, otherwise the language with the browser's
 * region.
 *
 * @param ofBrowser the browser's locales, the preferred one first
 */
export const localeOf = (language: Language, ofBrowser: ReadonlyArray<string>): string => {
  const locales = ofBrowser.flatMap((tag) => {
    try {
      return [new Intl.Locale(tag).maximize()]
    } catch {
      return []
    }
  })
  const own = locales.find((locale) => locale.language === language)
  const region = (own ?? locales[0])?.region
  return region === undefined ? language : `${language}-${region}`
}

export const rememberLanguage = (language: Language): void => localStorage.setItem(KEY, language)
