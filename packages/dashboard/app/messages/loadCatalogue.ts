import { type Catalogue, english } from "./catalogue.ts"
import { loadPart } from "../parts/loadPart.ts"
import type { Language, OtherLanguage } from "./format.ts"

const IMPORTS: Readonly<Record<OtherLanguage, () => Promise<Catalogue>>> = {
  de: async () => (await import("./de/index.ts")).german,
  fr: async () => (await import("./fr/index.ts")).french,
  es: async () => (await import("./es/index.ts")).spanish,
  pt: async () => (await import("./pt/index.ts")).portuguese
}

/**
 * Returns the texts of a language. English is part of the application; other languages are loaded at their first use.
 */
export const loadCatalogue = async (language: Language): Promise<Catalogue> =>
  language === "en" ? english : await loadPart(IMPORTS[language])
