import { type Catalogue, english } from "./catalogue.ts"
import { loadPart } from "../parts/loadPart.ts"
import type { Language } from "./format.ts"

/** Returns a language's texts. English is part of the application; other languages are loaded on first use. */
export const loadCatalogue = async (language: Language): Promise<Catalogue> =>
  language === "de" ? await loadPart(async () => (await import("./de/index.ts")).german) : english
