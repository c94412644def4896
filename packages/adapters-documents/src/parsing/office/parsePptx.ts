import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { dropMarks, takeHeadings } from "../headingMarks.ts"
import { type Archive, archiveProblems, readArchive } from "./readArchive.ts"
import { readXml } from "./readXml.ts"
import { relationshipsOf } from "./relationships.ts"
import { slideText } from "./slideText.ts"
import { Unreadable } from "../Unreadable.ts"

const NOUN = "presentation"
const PRESENTATION = "ppt/presentation.xml"

/** The slides in the order they are shown. */
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

/** Reads a presentation: a slide is a page, its title a heading, with the speaker's notes after what it shows. */
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
