import { dropMarks, headingMark, takeHeadings } from "../headingMarks.ts"
import { EquationReader } from "./EquationReader.ts"
import { readXml } from "./readXml.ts"
import { tableLines } from "../tableLines.ts"
import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { type Archive, archiveProblems, readArchive } from "./readArchive.ts"
import { relationshipsOf } from "./relationships.ts"
import { Unreadable } from "../Unreadable.ts"

/** Placeholders that repeat on every slide: slide number, date, footer and header. */
const REPEATED: ReadonlySet<string> = new Set(["sldNum", "dt", "ftr", "hdr"])
const TITLES: ReadonlySet<string> = new Set(["title", "ctrTitle"])
/** The deepest indent of paragraphs; deeper ones are not indented further. */
const MAX_INDENT = 8

/**
 * Returns the text of a slide or of its notes (ECMA-376 part 1, 19.3): each paragraph is a line, shapes are separated
 * by blank lines, and table rows have the names of their columns. The title is a heading on its own line.
 */
export const slideText = (bytes: Uint8Array | undefined): string => {
  const shapes: Array<string> = []
  let lines: Array<string> = []
  let line = ""
  let kind = ""
  let level = 0
  let inText = false
  let rows: Array<Array<string>> | undefined
  const equation = new EquationReader()
  const endParagraph = () => {
    const text = line.trim()
    if (text !== "") lines.push(`${level > 0 ? `${"  ".repeat(level - 1)}- ` : ""}${text}`)
    line = ""
  }
  const endShape = () => {
    if (lines.length > 0 && !REPEATED.has(kind)) {
      shapes.push(TITLES.has(kind) ? `${headingMark(1)}${lines.join(" ").replace(/\s+/gu, " ")}` : lines.join("\n"))
    }
    lines = []
    kind = ""
  }
  readXml(bytes, {
    open: (name, attributes) => {
      if (equation.open(name, attributes)) return
      if (name === "sp" || name === "graphicFrame") endShape()
      else if (name === "ph") kind = attributes["type"] ?? "body"
      else if (name === "p") level = 0
      else if (name === "pPr") level = Math.min(MAX_INDENT, Math.max(0, Number(attributes["lvl"] ?? 0) || 0))
      else if (name === "br") line += "\n"
      else if (name === "t") inText = true
      else if (name === "tbl") rows = []
      else if (name === "tr") rows?.push([])
    },
    close: (name) => {
      if (equation.isWithin) line += equation.close() ?? ""
      else if (name === "t") inText = false
      else if (name === "p") endParagraph()
      else if (name === "sp" || name === "graphicFrame") endShape()
      else if (name === "tc") {
        rows?.at(-1)?.push(dropMarks(lines.join(" ")))
        lines = []
      } else if (name === "tbl" && rows !== undefined) {
        lines = [...tableLines(rows, "unknown")]
        rows = undefined
      }
    },
    text: (text) => {
      if (equation.isWithin) equation.text(text)
      else if (inText) line += text
    }
  })
  endShape()
  return shapes.join("\n\n")
}

const NOUN = "presentation"
const PRESENTATION = "ppt/presentation.xml"

/** Returns the slides in the order in which they are shown. */
const slidesOf = (archive: Archive): ReadonlyArray<string> => {
  const bytes = archive.read(PRESENTATION)
  if (bytes === undefined) throw archiveProblems(NOUN).damaged()
  const relationships = relationshipsOf(archive, PRESENTATION)
  const slides: Array<string> = []
  readXml(bytes, {
    open: (name, attributes) => {
      if (name !== "sldId") return
      const part = relationships.find(({ id, kind }) => id === attributes["r:id"] && kind === "slide")?.target
      if (part !== undefined) slides.push(part)
    }
  })
  return slides
}

const pageOf = (archive: Archive, slide: string): string => {
  const notes = relationshipsOf(archive, slide).find(({ kind }) => kind === "notesSlide")
  const said = notes === undefined ? "" : slideText(archive.read(notes.target))
  return [slideText(archive.read(slide)), said === "" ? "" : `Notes:\n${dropMarks(said)}`]
    .filter((part) => part !== "")
    .join("\n\n")
}

/**
 * Reads a presentation. Each slide is a page, and its title is a heading; the speaker's notes follow the content of the
 * slide.
 */
export const parsePptx = (bytes: Uint8Array, limits: ParserLimits): ParsedDocument => {
  const archive = readArchive(bytes, limits, NOUN)
  const slides = slidesOf(archive)
  if (slides.length > limits.maxPages) {
    const most = limits.maxPages.toLocaleString("en-US")
    throw new Unreadable("too_long", `The presentation has more than the ${most} slides that can be read. Split it.`)
  }
  const pageStarts: Array<number> = []
  const headings: Array<NonNullable<ParsedDocument["headings"]>[number]> = []
  let text = ""
  for (const slide of slides) {
    const page = takeHeadings(cleanText(pageOf(archive, slide)).trim())
    const start = text.length
    pageStarts.push(start)
    headings.push(...page.headings.map((heading) => ({ ...heading, start: heading.start + start })))
    text += `${page.text}\n`
    if (text.length > limits.maxTextLength + 1) break
  }
  return { text: text.slice(0, -1), pageStarts, headings }
}
