import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { parseHtml } from "../html/parseHtml.ts"
import { type Archive, archiveProblems, readArchive } from "./readArchive.ts"
import { readXml } from "./readXml.ts"
import { resolvedPath } from "./relationships.ts"

const NOUN = "e-book"
const XHTML = "application/xhtml+xml"

/** Returns the name of the package document (EPUB 3.3, 4.2.6.3.1), which lists the chapters. */
const packageOf = (archive: Archive): string => {
  let found: string | undefined
  readXml(archive.read("META-INF/container.xml"), {
    open: (name, attributes) => {
      if (name === "rootfile") found ??= attributes["full-path"]
    }
  })
  if (found === undefined) throw archiveProblems(NOUN).damaged()
  return found
}

/** Returns the names of the chapters' entries in reading order (EPUB 3.3, 5.7). */
const chaptersOf = (archive: Archive): ReadonlyArray<string> => {
  const name = packageOf(archive)
  const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")))
  const items = new Map<string, string>()
  const order: Array<string> = []
  readXml(archive.read(name), {
    open: (element, { href = "", id = "", idref = "", ...attributes }) => {
      if (element === "item" && attributes["media-type"] === XHTML) items.set(id, resolvedPath(folder, decoded(href)))
      else if (element === "itemref") order.push(idref)
    }
  })
  return order.flatMap((id) => items.get(id) ?? [])
}

/** Decodes an address within the book, and removes its fragment. */
const decoded = (href: string): string => {
  const path = href.split("#")[0] ?? ""
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Refuses a book with encrypted chapters; encrypted fonts are allowed (EPUB 3.3, 4.2.6.3.2). */
const refuseLocked = (archive: Archive, chapters: ReadonlyArray<string>): void => {
  readXml(archive.read("META-INF/encryption.xml"), {
    open: (name, { URI: uri = "" }) => {
      if (name === "CipherReference" && chapters.includes(decoded(uri))) throw archiveProblems(NOUN).locked()
    }
  })
}

/**
 * Reads an e-book chapter by chapter; chapters are HTML. The result has no pages, because these depend on the reader's
 * screen.
 */
export const parseEpub = (bytes: Uint8Array, limits: ParserLimits): ParsedDocument => {
  const archive = readArchive(bytes, limits, NOUN)
  const chapters = chaptersOf(archive)
  refuseLocked(archive, chapters)
  let text = ""
  const headings: Array<NonNullable<ParsedDocument["headings"]>[number]> = []
  for (const chapter of chapters) {
    const content = archive.read(chapter)
    const read = content && parseHtml(content)
    if (read === undefined || read.text.trim() === "") continue
    const start = text === "" ? 0 : text.length + 2
    headings.push(...(read.headings ?? []).map((heading) => ({ ...heading, start: heading.start + start })))
    text = text === "" ? read.text : `${text}\n\n${read.text}`
    if (text.length > limits.maxTextLength) break
  }
  return { text, pageStarts: null, headings }
}
