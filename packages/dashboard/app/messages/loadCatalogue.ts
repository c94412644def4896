import { type Catalogue, english } from "./catalogue.ts"
import { loadPart } from "../parts/loadPart.ts"
import type { Language } from "./format.ts"

/** Gives a language's texts. English comes with the application; the others are loaded when somebody reads them. */
export const loadCatalogue = async (language: Language): Promise<Catalogue> =>
  language === "de" ? await loadPart(async () => (await import("./de/index.ts")).german) : english
