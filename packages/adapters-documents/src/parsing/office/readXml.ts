import { boundedParser } from "../boundedParser.ts"
import { decodeBytes } from "../text/decodeBytes.ts"
import { withoutMarks } from "../headingMarks.ts"

export interface XmlHandler {
  /**
   * Called if an element begins. Its name has no prefix; neither have the names of its attributes, except the prefix
   * `r:` of relationships.
   */
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly close?: (name: string) => void
  /** Called with text inside an element, which may arrive in several pieces. */
  readonly text?: (text: string) => void
}

/** The name of an element without its prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

/** Removes the prefixes from the names of attributes, except the prefix `r:` of relationships. */
export const attributesOf = (attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const found: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("r:")) found[name] = value
    else if (!name.startsWith("xmlns")) found[localName(name)] = value
  }
  return found
}

/** Decodes the text of an archive entry. */
export const decodeXml = (bytes: Uint8Array): string => {
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8"
  return decodeBytes(wide, bytes, { lenient: true }) ?? ""
}

/**
 * Reads an archive entry of an Office document event by event. Only the entities of XML itself are replaced: the parser
 * neither expands nor fetches definitions of a document type.
 */
export const readXml = (bytes: Uint8Array | undefined, handler: XmlHandler): void => {
  if (bytes === undefined) return
  const parser = boundedParser(
    {
      onopentag: (name, attributes) => handler.open?.(localName(name), attributesOf(attributes)),
      onclosetag: (name) => handler.close?.(localName(name)),
      ontext: (text) => handler.text?.(withoutMarks(text))
    },
    { xmlMode: true, decodeEntities: true }
  )
  parser.end(decodeXml(bytes))
}
