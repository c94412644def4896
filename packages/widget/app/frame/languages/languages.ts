import type { Texts } from "./Catalogue.ts"

/** The languages of the chat, each in a file of its own: a visitor loads one. */
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

/** Between two tries to load a file, in milliseconds. */
const PAUSE_MS = 2_000

/** The first of these language tags (BCP 47) that the chat has, of any region; English if it has none of them. */
export const chooseLanguage = (tags: ReadonlyArray<string>): Language => {
  const asked = tags.map((tag) => tag.trim().toLowerCase().split(/[-_]/)[0])
  return asked.flatMap((tag) => LANGUAGES.find((language) => language === tag) ?? [])[0] ?? "en"
}

/**
 * The language of the chat at this address: of the tags that the page asks for, separated by commas in the parameter
 * `lang`, otherwise of the browser's.
 */
export const languageAt = (address: string, ofBrowser: ReadonlyArray<string>): Language =>
  chooseLanguage([...(new URL(address).searchParams.get("lang") ?? "").split(","), ...ofBrowser])

/** Loads the texts of a language; tries again while the service does not answer. */
export const loadTexts = async (language: Language): Promise<Texts> => {
  for (;;) {
    try {
      return (await FILES[language]()).texts
    } catch {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
