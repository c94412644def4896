import type { ParsedDocument } from "@parley/core/adapter"
import { cleanText } from "../cleanText.ts"
import { headingMark, takeHeadings, withoutMarks } from "../headingMarks.ts"
import { tableLines } from "../tableLines.ts"
import { decodeBytes } from "../text/decodeBytes.ts"
import { Unreadable } from "../Unreadable.ts"
import { CHARACTERS, encodingOfCharset, encodingOfPage, SKIPPED } from "./rtfCodes.ts"
import { rtfTokens } from "./rtfTokens.ts"

const DAMAGED = "The RTF document is damaged and cannot be read. Save it again and upload the new file."
const INCOMPLETE = "The RTF document is incomplete: its end is missing. Upload the whole file again."

/** The properties of a group; they end with the group. */
interface Group {
  readonly skipped: boolean
  readonly hidden: boolean
  readonly inNote: boolean
  readonly inFonts: boolean
  readonly inTable: boolean
  /** The heading level, counted from 1; 0 for plain text. */
  readonly level: number
  /** The number of characters after a `\u` that represent it in older programs. */
  readonly alternatives: number
  readonly font: number
}

const OUTERMOST: Group = {
  ...{ skipped: false, hidden: false, inNote: false, inFonts: false, inTable: false },
  ...{ level: 0, alternatives: 1, font: -1 }
}

/** The deepest nesting of groups; deeper groups are read as parts of their parent. */
const DEEPEST = 1_000
const ENDS: ReadonlySet<string> = new Set(["par", "sect", "page"])

/** Reads the tokens of an RTF document in their order. */
class RtfReader {
  readonly #groups: Array<Group> = []
  readonly #encodings = new Map<number, string | undefined>()
  readonly #notes: Array<string> = []
  #group = OUTERMOST
  #deeper = 0
  #encoding = encodingOfPage(1252)
  #isFirstWord = false
  #isOptional = false
  /** The number of characters that are still to be skipped after a `\u`. */
  #passOver = 0
  #bytes: Array<number> = []
  #body = ""
  #line = ""
  #note = ""
  #cells: Array<string> = []
  #rows: Array<ReadonlyArray<string>> = []

  open(): void {
    this.#flush()
    this.#passOver = 0
    this.#isOptional = false
    if (this.#groups.length >= DEEPEST) this.#deeper += 1
    else this.#groups.push(this.#group)
    this.#isFirstWord = true
  }

  close(): void {
    this.#flush()
    this.#passOver = 0
    if (this.#deeper > 0) {
      this.#deeper -= 1
      return
    }
    const { inNote } = this.#group
    this.#group = this.#groups.pop() ?? OUTERMOST
    if (!inNote || this.#group.inNote) return
    this.#notes.push(this.#note)
    this.#note = ""
  }

  byte(byte: number): void {
    this.#isFirstWord = false
    if (this.#passOver > 0) this.#passOver -= 1
    else if (!this.#group.skipped) this.#bytes.push(byte)
  }

  word(word: string, value: number | undefined): void {
    if (this.#passOver > 0 && word !== "u") {
      this.#passOver -= 1
      return
    }
    this.#flush()
    const isFirst = this.#isFirstWord
    this.#isFirstWord = false
    if (word === "*") {
      this.#isOptional = true
      this.#change({ skipped: true })
    } else if (this.#isOptional) this.#begin(word)
    else if (isFirst && SKIPPED.has(word)) this.#change({ skipped: true })
    else if (!this.#group.skipped) this.#apply(word, value)
  }

  /** Handles the first word after `\*`. A program skips such a group unless it knows the word. */
  #begin(word: string): void {
    this.#isOptional = false
    if (word === "footnote" && this.#groups.at(-1)?.skipped === false) this.#change({ skipped: false, inNote: true })
  }

  end(): string {
    if (this.#groups.length > 0) throw new Unreadable("incomplete", INCOMPLETE)
    this.#endParagraph()
    this.#endTable()
    return this.#body + this.#notes.map((note) => `${note.trim()}\n\n`).join("")
  }

  #apply(word: string, value: number | undefined): void {
    const character = CHARACTERS.get(word)
    if (character !== undefined) this.#write(character)
    else if (word === "u") this.#unicode(value ?? 0)
    else if (ENDS.has(word)) this.#endParagraph()
    else if (word === "cell") this.#endCell()
    else if (word === "row") this.#endRow()
    else if (word === "f") this.#change({ font: value ?? -1 })
    else if (word === "uc") this.#change({ alternatives: Math.max(0, value ?? 1) })
    else if (word === "v" || word === "deleted") this.#change({ hidden: value !== 0 })
    else if (word === "plain") this.#change({ hidden: false, font: -1 })
    else if (word === "pard") this.#change({ inTable: false, level: 0 })
    else if (word === "intbl") this.#change({ inTable: true })
    else if (word === "outlinelevel") this.#change({ level: (value ?? 8) < 9 ? (value ?? 8) + 1 : 0 })
    else if (word === "footnote") this.#change({ inNote: true })
    else if (word === "fonttbl") this.#change({ inFonts: true })
    else if (word === "fcharset") this.#encodings.set(this.#group.font, encodingOfCharset(value ?? 0))
    else if (word === "ansicpg") this.#encoding = encodingOfPage(value ?? 1252)
  }

  #change(properties: Partial<Group>): void {
    this.#group = { ...this.#group, ...properties }
  }

  #unicode(value: number): void {
    this.#write(String.fromCharCode(value & 0xffff))
    this.#passOver = this.#group.alternatives
  }

  /** Decodes the collected bytes together, because in some encodings several bytes form one character. */
  #flush(): void {
    if (this.#bytes.length === 0) return
    const encoding = this.#encodings.get(this.#group.font) ?? this.#encoding
    const text = decodeBytes(encoding, Uint8Array.from(this.#bytes), { lenient: true }) ?? ""
    this.#bytes = []
    this.#write(text)
  }

  #write(text: string): void {
    const { hidden, inFonts, inNote } = this.#group
    if (hidden || inFonts) return
    if (inNote) this.#note += withoutMarks(text)
    else this.#line += withoutMarks(text)
  }

  #endParagraph(): void {
    const { inNote, inTable, level } = this.#group
    if (inNote) this.#note += "\n"
    else if (inTable) this.#line += " "
    else {
      this.#endTable()
      if (this.#line.trim() !== "") this.#body += `${level > 0 ? headingMark(level) : ""}${this.#line.trim()}\n\n`
      this.#line = ""
    }
  }

  #endCell(): void {
    this.#cells.push(this.#line.trim())
    this.#line = ""
  }

  #endRow(): void {
    this.#rows.push(this.#cells)
    this.#cells = []
  }

  #endTable(): void {
    if (this.#cells.length > 0) this.#endRow()
    if (this.#rows.length === 0) return
    // A table with one column lays out a page, so its cells are written as lines.
    const isLayout = this.#rows.every((row) => row.length < 2)
    const lines = isLayout ? this.#rows.map(([text = ""]) => `${text}\n`) : [...tableLines(this.#rows, "unknown")]
    this.#body += `${lines.join("\n")}\n\n`
    this.#rows = []
  }
}

/** Reads an RTF document: paragraphs separated by blank lines, table rows as lines, footnotes at the end. */
export const parseRtf = (bytes: Uint8Array): ParsedDocument => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
  if (!text.startsWith("{\\rtf")) throw new Unreadable("damaged", DAMAGED)
  const reader = new RtfReader()
  for (const token of rtfTokens(text)) {
    if (token._tag === "Open") reader.open()
    else if (token._tag === "Close") reader.close()
    else if (token._tag === "Byte") reader.byte(token.byte)
    else reader.word(token.word, token.value)
  }
  return { ...takeHeadings(cleanText(reader.end()).trim()), pageStarts: null }
}
