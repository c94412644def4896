import { BlockWriter } from "../BlockWriter.ts"
import { boundedParser } from "../boundedParser.ts"
import { headingMark } from "../headingMarks.ts"
import { HtmlTables } from "./HtmlTables.ts"

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Elements whose content is not read: scripts, styles, navigation, form fields, and content of other programs. */
const SKIPPED = names(
  "script style noscript template nav svg iframe object embed applet canvas audio video map select datalist button textarea menu dialog"
)
/** Elements that begin and end with a line end, and elements that begin and end with a blank line. */
const LINES = names(
  "li dt dd div section article header footer main aside form fieldset legend summary details address figure figcaption center body option tr"
)
const BLOCKS = names("p blockquote pre ul ol dl hr h1 h2 h3 h4 h5 h6 caption")
const HEADING = /^h([1-6])$/u
const HIDDEN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu
/** The deepest indent of list items; deeper lists are not indented further. */
const MAX_INDENT = 6

type Attributes = Readonly<Record<string, string>>

const isHidden = (name: string, attributes: Attributes): boolean =>
  SKIPPED.has(name) ||
  attributes["hidden"] !== undefined ||
  attributes["aria-hidden"] === "true" ||
  attributes["role"] === "navigation" ||
  HIDDEN.test(attributes["style"] ?? "")

interface OpenList {
  readonly ordered: boolean
  items: number
}

/** A cell whose content is being read, with a writer of its own for its text. */
interface OpenCell {
  readonly name: string
  readonly attributes: Attributes
  readonly writer: BlockWriter
}

/** Reads a page event by event. It builds no tree, so deep nesting costs nothing and overflows nothing. */
class PageReader {
  readonly #root = new BlockWriter()
  readonly #cells: Array<OpenCell> = []
  readonly #tables = new HtmlTables()
  readonly #lists: Array<OpenList> = []
  #depth = 0
  /** The depth of the outermost element that is not read; all elements within it are not read either. */
  #skippedFrom = Infinity
  #preformatted = 0
  #inHeading = false
  #inTitle = false
  #title = ""
  #hasTopHeading = false

  open(name: string, attributes: Attributes): void {
    this.#depth += 1
    if (this.#depth > this.#skippedFrom) return
    if (isHidden(name, attributes)) {
      this.#skippedFrom = this.#depth
      return
    }
    this.#begin(name, attributes)
  }

  close(name: string): void {
    const depth = this.#depth
    this.#depth -= 1
    if (depth > this.#skippedFrom) return
    if (depth === this.#skippedFrom) {
      this.#skippedFrom = Infinity
      return
    }
    this.#end(name)
  }

  text(text: string): void {
    if (this.#depth >= this.#skippedFrom) return
    if (this.#inTitle) this.#title += text
    else this.#writer.write(text, { exact: this.#preformatted > 0 && !this.#inHeading })
  }

  /** Returns the text with marks before its headings. If the page has no heading, its title becomes the heading. */
  finish(): string {
    while (this.#cells.length > 0) this.#end(this.#cells.at(-1)!.name)
    while (this.#tables.inTable) this.#tables.end(this.#writer)
    const title = this.#title.replace(/\s+/gu, " ").trim()
    if (title === "" || this.#hasTopHeading) return this.#root.text()
    const whole = new BlockWriter()
    whole.mark(headingMark(1))
    whole.write(title)
    whole.apart(2)
    const body = this.#root.text()
    if (body !== "") whole.copy(body)
    return whole.text()
  }

  get #writer(): BlockWriter {
    return this.#cells.at(-1)?.writer ?? this.#root
  }

  #begin(name: string, attributes: Attributes): void {
    const writer = this.#writer
    if (BLOCKS.has(name)) writer.apart(name === "ul" || name === "ol" ? (this.#lists.length > 0 ? 1 : 2) : 2)
    else if (LINES.has(name)) writer.apart(1)
    const level = HEADING.exec(name)?.[1]
    if (level !== undefined) return this.#beginHeading(Number(level))
    switch (name) {
      case "title":
        this.#inTitle = true
        return
      case "br":
        if (this.#inHeading) writer.write(" ")
        else writer.apart(1)
        return
      case "img":
        if (attributes["alt"] !== undefined) writer.write(` ${attributes["alt"]} `)
        return
      case "pre":
        this.#preformatted += 1
        return
      case "ul":
      case "ol":
        this.#lists.push({ ordered: name === "ol", items: (Number.parseInt(attributes["start"] ?? "1", 10) || 1) - 1 })
        return
      case "li":
        return this.#beginItem()
      case "table":
        this.#tables.begin()
        return
      case "tr":
        this.#tables.beginRow()
        return
      case "td":
      case "th":
        if (this.#tables.inTable) this.#cells.push({ name, attributes, writer: new BlockWriter() })
    }
  }

  #end(name: string): void {
    if (BLOCKS.has(name)) this.#writer.apart(name === "ul" || name === "ol" ? (this.#lists.length > 1 ? 1 : 2) : 2)
    else if (LINES.has(name)) this.#writer.apart(1)
    if (HEADING.test(name)) this.#inHeading = false
    switch (name) {
      case "title":
        this.#inTitle = false
        return
      case "pre":
        this.#preformatted -= 1
        return
      case "ul":
      case "ol":
        this.#lists.pop()
        return
      case "table":
        this.#tables.end(this.#writer)
        return
      case "td":
      case "th":
        this.#endCell()
    }
  }

  #beginHeading(level: number): void {
    if (level === 1) this.#hasTopHeading = true
    this.#tables.isLayout()
    this.#inHeading = true
    this.#writer.mark(headingMark(level))
  }

  #beginItem(): void {
    const list = this.#lists.at(-1)
    const indent = "  ".repeat(Math.min(MAX_INDENT, Math.max(0, this.#lists.length - 1)))
    if (list !== undefined) list.items += 1
    this.#writer.mark(`${indent}${list?.ordered === true ? `${list.items}.` : "-"} `)
  }

  #endCell(): void {
    const cell = this.#cells.pop()
    if (cell !== undefined) this.#tables.addCell(cell.writer.text(), cell.name, cell.attributes)
  }
}

/**
 * Returns the text of an HTML page as people read it, with marks before its headings (see `takeHeadings`). Blocks are
 * separated by blank lines, list items have their marks, and rows of tables have the names of their columns. Scripts,
 * styles, menus and hidden content are omitted. The function reads any page, however broken or deeply nested, in linear
 * time.
 */
export const htmlText = (html: string): string => {
  const page = new PageReader()
  const parser = boundedParser(
    {
      onopentag: (name, attributes) => page.open(name, attributes),
      onclosetag: (name) => page.close(name),
      ontext: (text) => page.text(text)
    },
    { decodeEntities: true, recognizeSelfClosing: false }
  )
  parser.end(html)
  return page.finish()
}
