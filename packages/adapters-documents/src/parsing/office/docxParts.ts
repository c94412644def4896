import type { Archive } from "./readArchive.ts"
import { readXml } from "./readXml.ts"
import { relationshipsOf } from "./relationships.ts"

const DOCUMENT = "word/document.xml"

/**
 * Returns the paragraphs of an archive entry (ECMA-376 part 1, 17.3), each as one line. Page numbers and other fields
 * are left out.
 */
const paragraphsOf = (bytes: Uint8Array | undefined): ReadonlyArray<string> => {
  const paragraphs: Array<string> = []
  let line = ""
  let inText = false
  let fields = 0
  readXml(bytes, {
    open: (name, { fldCharType }) => {
      if (name === "p") line = ""
      else if (name === "t") inText = true
      else if (name === "tab") line += "\t"
      else if (name === "fldSimple") fields += 1
      else if (name === "fldChar" && fldCharType === "begin") fields += 1
      else if (name === "fldChar" && fldCharType === "end") fields -= 1
    },
    close: (name) => {
      if (name === "t") inText = false
      else if (name === "fldSimple") fields -= 1
      else if (name === "p") paragraphs.push(line.trim())
    },
    text: (text) => {
      if (inText && fields === 0) line += text
    }
  })
  return paragraphs.filter((paragraph) => /\p{L}/u.test(paragraph))
}

/** The texts of a Word document other than its body. */
export interface DocxParts {
  /** The lines of all page headers, without repetitions. */
  readonly headers: ReadonlyArray<string>
  readonly footers: ReadonlyArray<string>
  readonly comments: ReadonlyArray<string>
  /** The levels of headings by the ids of their styles; the highest level is 1. */
  readonly outline: ReadonlyMap<string, number>
}

/** Reads the texts of a Word document other than its body. */
export const readDocxParts = (archive: Archive): DocxParts => {
  const related = relationshipsOf(archive, DOCUMENT)
  const linesOf = (wanted: string) => [
    ...new Set(
      related.filter(({ kind }) => kind === wanted).flatMap(({ target }) => paragraphsOf(archive.read(target)))
    )
  ]
  const styles = related.find(({ kind }) => kind === "styles")?.target
  return {
    headers: linesOf("header"),
    footers: linesOf("footer"),
    comments: linesOf("comments"),
    outline: outlineOf(styles === undefined ? undefined : archive.read(styles))
  }
}

/** The deepest heading level: deeper levels are plain text (ECMA-376 part 1, 17.3.1.20). */
const DEEPEST = 9

/** Returns the outline levels of styles: a style's own level, or that of the style on which it is based. */
const outlineOf = (bytes: Uint8Array | undefined): ReadonlyMap<string, number> => {
  const own = new Map<string, number>()
  const bases = new Map<string, string>()
  let style = ""
  readXml(bytes, {
    open: (name, { styleId = "", val = "" }) => {
      if (name === "style") style = styleId
      else if (name === "basedOn") bases.set(style, val)
      else if (name === "outlineLvl" && Number(val) < DEEPEST) own.set(style, Number(val) + 1)
      else if (name === "outlineLvl") own.set(style, 0)
    }
  })
  const levels = new Map<string, number>()
  for (const id of new Set([...own.keys(), ...bases.keys()])) {
    let at: string | undefined = id
    for (let step = 0; at !== undefined && !own.has(at) && step < DEEPEST; step++) at = bases.get(at)
    const level = at === undefined ? undefined : own.get(at)
    if (level !== undefined && level > 0) levels.set(id, level)
  }
  return levels
}
