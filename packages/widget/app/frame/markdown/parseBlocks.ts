import type { Alignment, Block } from "./Markdown.ts"
import { parseInlines } from "./parseInlines.ts"

/** The deepest nesting of quotes and lists that is parsed; deeper ones are shown as they are written. */
const DEEPEST = 8
const TAB = "    "

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:[ \t]+|$)/
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** A block and the source lines from which it was parsed. If the text grows, equal lines identify the same block. */
export interface ReadBlock {
  readonly block: Block
  readonly raw: string
}

/** The blocks of a text, each with its source text. */
export const readBlocks = (text: string): ReadonlyArray<ReadBlock> => {
  const lines = text.replace(/\r\n?/g, "\n").replaceAll("\t", TAB).split("\n")
  return new BlockParser(lines, 0).parse()
}

const parseLines = (lines: ReadonlyArray<string>, depth: number): ReadonlyArray<Block> =>
  new BlockParser(lines, depth).parse().map(({ block }) => block)

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/** True if a line ends the paragraph before it. */
const interrupts = (line: string): boolean => {
  if (FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || RULE.test(line)) return true
  const item = ITEM.exec(line)
  // A number other than 1 begins no list here, because it may be a year.
  return item !== null && !isBlank(line.slice(item[0].length)) && (item[3] === undefined || item[3] === "1")
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const alignmentOf = (cell: string): Alignment =>
  cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "end") : "start"

class BlockParser {
  readonly #lines: ReadonlyArray<string>
  readonly #depth: number
  #at = 0

  constructor(lines: ReadonlyArray<string>, depth: number) {
    this.#lines = lines
    this.#depth = depth
  }

  parse(): ReadonlyArray<ReadBlock> {
    const found: Array<ReadBlock> = []
    while (this.#at < this.#lines.length) {
      if (isBlank(this.#lines[this.#at])) {
        this.#at += 1
        continue
      }
      const start = this.#at
      const block = this.#block(this.#lines[start]!)
      found.push({ block, raw: this.#lines.slice(start, this.#at).join("\n") })
    }
    return found
  }

  #block(line: string): Block {
    const fence = FENCE.exec(line)
    if (fence !== null) return this.#code(fence[1]!, line.search(/\S/))
    const heading = HEADING.exec(line)
    if (heading !== null) {
      this.#at += 1
      return { type: "heading", level: heading[1]!.length, parts: parseInlines(heading[2] ?? "") }
    }
    if (RULE.test(line)) {
      this.#at += 1
      return { type: "rule" }
    }
    const isNested = this.#depth < DEEPEST
    if (isNested && QUOTE.test(line)) return this.#quote()
    const item = isNested ? ITEM.exec(line) : null
    if (item !== null) return this.#list(item)
    const next = this.#lines[this.#at + 1]
    if (line.includes("|") && next !== undefined && DELIMITERS.test(next) && next.includes("-")) {
      const alignments = cellsOf(next).map(alignmentOf)
      if (alignments.length === cellsOf(line).length) return this.#table(alignments)
    }
    return this.#paragraph()
  }

  /** Reads a code block up to its closing fence, or to the end of the text. */
  #code(fence: string, indent: number): Block {
    const lines: Array<string> = []
    const closing = new RegExp(`^ {0,3}${fence[0]!}{${fence.length},}[ \\t]*$`)
    this.#at += 1
    while (this.#at < this.#lines.length && !closing.test(this.#lines[this.#at]!)) {
      lines.push(this.#lines[this.#at]!.replace(new RegExp(`^ {0,${indent}}`), ""))
      this.#at += 1
    }
    this.#at += 1
    return { type: "code", text: lines.join("\n") }
  }

  #quote(): Block {
    const lines: Array<string> = []
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!
      // The last paragraph of a quote continues in a line without the quote's mark.
      if (!QUOTE.test(line) && (isBlank(line) || interrupts(line) || isBlank(lines.at(-1)))) break
      lines.push(line.replace(QUOTE, ""))
      this.#at += 1
    }
    return { type: "quote", blocks: parseLines(lines, this.#depth + 1) }
  }

  #list([, , marker = "", number]: RegExpExecArray): Block {
    const kind = marker.at(-1)!
    const items: Array<ReadonlyArray<Block>> = []
    for (;;) {
      const line = this.#lines[this.#at]
      const item = line === undefined || RULE.test(line) ? null : ITEM.exec(line)
      if (item === null || item[2]!.at(-1) !== kind) break
      items.push(parseLines(this.#itemLines(line!, item[0].length), this.#depth + 1))
    }
    return { type: "list", start: number === undefined ? undefined : Number(number), items }
  }

  /** Reads the lines of the list item that begins here, without their indentation. */
  #itemLines(first: string, width: number): ReadonlyArray<string> {
    const indent = Math.min(width, 6)
    const lines = [first.slice(width)]
    this.#at += 1
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!
      const spaces = line.search(/\S|$/)
      if (isBlank(line)) {
        const next = this.#lines[this.#at + 1]
        const nextSpaces = next === undefined ? 0 : next.search(/\S|$/)
        if (isBlank(next) || nextSpaces < Math.min(indent, 2)) {
          // One blank line may separate the items of a list.
          if (next !== undefined && ITEM.test(next)) this.#at += 1
          break
        }
      } else if (spaces < Math.min(indent, 2) && (ITEM.test(line) || interrupts(line) || isBlank(lines.at(-1)))) break
      lines.push(line.slice(Math.min(spaces, indent)))
      this.#at += 1
    }
    return lines
  }

  #table(alignments: ReadonlyArray<Alignment>): Block {
    const rowOf = (line: string) => {
      const cells = cellsOf(line)
      return alignments.map((_, index) => parseInlines(cells[index] ?? ""))
    }
    const rows = [rowOf(this.#lines[this.#at]!)]
    this.#at += 2
    while (!isBlank(this.#lines[this.#at]) && this.#lines[this.#at]!.includes("|")) {
      rows.push(rowOf(this.#lines[this.#at]!))
      this.#at += 1
    }
    return { type: "table", alignments, rows }
  }

  #paragraph(): Block {
    const lines = [this.#lines[this.#at]!.trimStart()]
    this.#at += 1
    while (!isBlank(this.#lines[this.#at])) {
      const line = this.#lines[this.#at]!
      if (UNDERLINE.test(line)) {
        this.#at += 1
        return { type: "heading", level: line.trim().startsWith("=") ? 1 : 2, parts: parseInlines(lines.join("\n")) }
      }
      if (interrupts(line)) break
      lines.push(line.trimStart())
      this.#at += 1
    }
    return { type: "paragraph", parts: parseInlines(lines.join("\n").trimEnd()) }
  }
}
