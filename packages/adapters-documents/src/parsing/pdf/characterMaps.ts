import { readdirSync, readFileSync } from "node:fs"

/**
 * The folder of the character maps that PDFs name without containing them. They map the codes of a text to characters
 * of a collection, and these to Unicode (PDF 1.7, 9.7.5.2 and 9.10.2). Most fonts of Chinese, Japanese and Korean texts
 * need such maps.
 */
const FOLDER = new URL("../../../character-maps/", import.meta.url)

let maps: ReadonlyMap<string, Uint8Array> = new Map()

/** Reads all maps (1.7 MB) into memory, because a parser process cannot open files later. */
export const loadCharacterMaps = (): void => {
  if (maps.size > 0) return
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".bcmap"))
  maps = new Map(names.map((name) => [name, readFileSync(new URL(name, FOLDER))]))
}

/** Passes the maps to pdf.js as its `BinaryDataFactory`; a reader of texts needs no other data from that. */
export class CharacterMaps {
  async fetch({ filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    const map = maps.get(filename)
    if (map === undefined) throw new Error("There is no such map.")
    return Uint8Array.from(map)
  }
}
