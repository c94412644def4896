import { BlockWriter } from "../BlockWriter.ts"
import { boundedParser } from "../boundedParser.ts"
import { headingMark } from "../headingMarks.ts"
import { HtmlTables } from "./HtmlTables.ts"

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Elements that are not read: programs, styles, navigation, fields, and content of other programs. */
const SKIPPED = names(
  "script style noscript template nav svg iframe object embed applet canvas audio video map select datalist button textarea menu dialog"
)
/** Elements that stand on lines of their own, and those with a blank line around. */
const LINES = names(
  "li dt dd div section article header footer main aside form fieldset legend summary details address figure figcaption center body option tr"
)
const BLOCKS = names("p blockquote pre ul ol dl hr h1 h2 h3 h4 h5 h6 caption")
const HEADING = /^h([1-6])$/u
const HIDDEN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu
/** Deeper lists are indented no further. */
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

/** A cell that is being read, into a text of its own. */
interface OpenCell {
  readonly name: string
  readonly attributes: Attributes
  readonly writer: BlockWriter
}

/** Reads a page event by event: no tree is built, so that nesting costs nothing and overflows nothing. */
class PageReader {
  readonly #root = new BlockWriter()
  readonly #cells: Array<OpenCell> = []
  readonly #tables = new HtmlTables()
  readonly #lists: Array<OpenList> = []
  #depth = 0
  /** The depth at which something begins that is not read; all deeper is not read either. */
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

  /** Returns the text, with marks before its headings. The page's title is its heading if the page has no other. */
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
 * Returns the text of an HTML page as people read it, with marks before its headings (`takeHeadings`): blank lines
 * between blocks, list items with their marks, rows of tables with the names of their columns. It omits programs,
 * styles, menus and hidden content. It reads any page, however broken or deeply nested, in linear time.
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
