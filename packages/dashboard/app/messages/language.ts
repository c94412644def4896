import { type Language, LANGUAGES } from "./format.ts"

const KEY = "parley.language"

const isLanguage = (value: unknown): value is Language => LANGUAGES.some((language) => language === value)

/** The language that the person chose before, else the first of the browser's that the application speaks. */
export const preferredLanguage = (): Language => {
  const chosen = localStorage.getItem(KEY)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? "en"
}

export const rememberLanguage = (language: Language): void => localStorage.setItem(KEY, language)
