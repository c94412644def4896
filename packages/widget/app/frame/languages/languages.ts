import type { Texts } from "./Catalogue.ts"

/** The languages of the chat. Each is in a separate file, so that a visitor loads only one. */
const FILES = {
  en: () => import("./en.ts"),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  pt: () => import("./pt.ts"),
  it: () => import("./it.ts"),
  nl: () => import("./nl.ts"),
  pl: () => import("./pl.ts"),
  ja: () => import("./ja.ts"),
  ar: () => import("./ar.ts")
} satisfies Record<string, () => Promise<{ readonly texts: Texts }>>

export type Language = keyof typeof FILES

export const LANGUAGES = Object.keys(FILES) as ReadonlyArray<Language>

/** The pause between two tries to load a file, in milliseconds. */
const PAUSE_MS = 2_000

/**
 * The first of these language tags (BCP 47) in which the chat has texts, whatever its region; English if there is none.
 */
export const chooseLanguage = (tags: ReadonlyArray<string>): Language => {
  const asked = tags.map((tag) => tag.trim().toLowerCase().split(/[-_]/)[0])
  return asked.flatMap((tag) => LANGUAGES.find((language) => language === tag) ?? [])[0] ?? "en"
}

/**
 * The language of the chat at this address: the first known tag of the parameter `lang`, in which the page lists tags
 * separated by commas, otherwise the first known language of the browser.
 */
export const languageAt = (address: string, ofBrowser: ReadonlyArray<string>): Language =>
  chooseLanguage([...(new URL(address).searchParams.get("lang") ?? "").split(","), ...ofBrowser])

/** Loads the texts of a language, and retries until the server answers. */
export const loadTexts = async (language: Language): Promise<Texts> => {
  for (;;) {
    try {
      return (await FILES[language]()).texts
    } catch {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
