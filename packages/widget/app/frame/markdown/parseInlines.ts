import type { Inline } from "./Markdown.ts"

/** The deepest nesting of marks that is parsed; deeper ones are shown as they are written. */
const DEEPEST = 8
/** The longest text of a link; a longer text in brackets is no link. */
const LONGEST_LABEL = 1_000

const PUNCTUATION = /[!-/:-@[-`{-~]/
const CITATION = /^\d{1,3}(?:\s?[,;]\s?\d{1,3})*$/
const BARE = /https?:\/\/[^\s<>"`]+/iy
const ANGLED = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/iy
const LINE_BREAK = /<br\s*\/?>/iy
const ENTITY = /&(?:#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/y
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }
const LAST_CHARACTER = 0x10ffff

/** The marks of emphasis, longer ones first. */
const MARKS = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "struck"],
  ["*", "emphasis"],
  ["_", "emphasis"]
] as const

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)

/** Parses the inside of a block. The time grows linearly with the length of any text. */
export const parseInlines = (text: string, depth = 0): ReadonlyArray<Inline> => new InlineParser(text, depth).parse()

class InlineParser {
  readonly #text: string
  readonly #depth: number
  readonly #parts: Array<Inline> = []
  /** The marks that are not closed anywhere in the rest of the text. */
  readonly #unclosed = new Set<string>()
  #plain = ""
  #at = 0

  constructor(text: string, depth: number) {
    this.#text = text
    this.#depth = depth
  }

  parse(): ReadonlyArray<Inline> {
    const text = this.#text
    while (this.#at < text.length) {
      const character = text[this.#at]!
      if (this.#special(character)) continue
      this.#plain += character
      this.#at += 1
    }
    this.#flush()
    return this.#parts
  }

  /** Parses a link, emphasis or other construct that begins here; returns false if the character is plain text. */
  #special(character: string): boolean {
    switch (character) {
      case "\\":
        return this.#escape()
      case "\n":
        return this.#lineEnd()
      case "`":
        return this.#code()
      case "!":
        return this.#text[this.#at + 1] === "[" && this.#bracket(this.#at + 1, true)
      case "[":
        return this.#bracket(this.#at, false)
      case "<":
        return this.#angled()
      case "&":
        return this.#entity()
      case "*":
      case "_":
      case "~":
        return this.#emphasis()
      case "h":
      case "H":
        return this.#bareAddress()
      default:
        return false
    }
  }

  #flush(): void {
    if (this.#plain !== "") this.#parts.push({ type: "text", text: this.#plain })
    this.#plain = ""
  }

  #add(part: Inline, end: number): true {
    this.#flush()
    this.#parts.push(part)
    this.#at = end
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)
  }

  #escape(): boolean {
    const next = this.#text[this.#at + 1]
    if (next === "\n") return this.#add({ type: "break" }, this.#at + 2)
    if (next === undefined || !PUNCTUATION.test(next)) return false
    this.#plain += next
    this.#at += 2
    return true
  }

  #lineEnd(): boolean {
    const isBreak = this.#plain.endsWith("  ")
    this.#plain = this.#plain.trimEnd()
    if (isBreak) return this.#add({ type: "break" }, this.#at + 1)
    this.#plain += " "
    this.#at += 1
    return true
  }

  #code(): boolean {
    const text = this.#text
    let end = this.#at
    while (text[end] === "`") end += 1
    const marks = text.slice(this.#at, end)
    let close = this.#unclosed.has(marks) ? -1 : text.indexOf(marks, end)
    while (close !== -1 && text[close + marks.length] === "`") {
      let after = close
      while (text[after] === "`") after += 1
      close = text.indexOf(marks, after)
    }
    if (close === -1) {
      this.#unclosed.add(marks)
      this.#plain += marks
      this.#at = end
      return true
    }
    const code = text.slice(end, close).replaceAll("\n", " ")
    const isPadded = /^ .*[^ ].* $/.test(code)
    return this.#add({ type: "code", text: isPadded ? code.slice(1, -1) : code }, close + marks.length)
  }

  /** Parses a link, an image or a citation. `open` is the index of its opening bracket. */
  #bracket(open: number, isImage: boolean): boolean {
    const text = this.#text
    const close = this.#closing(open, "[", "]")
    if (close === -1) return false
    const label = text.slice(open + 1, close)
    const destination = text[close + 1] === "(" ? this.#destination(close + 1) : undefined
    if (destination !== undefined) {
      const { address, end } = destination
      if (isImage) return this.#add({ type: "image", address, text: label }, end)
      const parts =
        this.#depth < DEEPEST ? parseInlines(label, this.#depth + 1) : [{ type: "text" as const, text: label }]
      return this.#add({ type: "link", address, parts }, end)
    }
    if (isImage || !CITATION.test(label)) return false
    const numbers = label.split(/\D+/).map(Number)
    return this.#add({ type: "citation", numbers, text: text.slice(open, close + 1) }, close + 1)
  }

  #closing(open: number, opening: string, closing: string): number {
    const last = Math.min(this.#text.length, open + LONGEST_LABEL)
    let nested = 0
    for (let at = open; at < last; at += 1) {
      const character = this.#text[at]
      if (character === "\\") at += 1
      else if (character === opening) nested += 1
      else if (character === closing && --nested === 0) return at
    }
    return -1
  }

  /** Parses the address in parentheses after a link's text. */
  #destination(open: number): { readonly address: string; readonly end: number } | undefined {
    const close = this.#closing(open, "(", ")")
    if (close === -1) return undefined
    const inside = this.#text.slice(open + 1, close).trim()
    const address = inside.startsWith("<") ? inside.slice(1).split(">")[0]! : inside.split(/\s/)[0]!
    return { address, end: close + 1 }
  }

  #angled(): boolean {
    const lineBreak = this.#match(LINE_BREAK)
    if (lineBreak !== null) return this.#add({ type: "break" }, this.#at + lineBreak[0].length)
    const found = this.#match(ANGLED)
    if (found === null) return false
    const [whole, address = ""] = found
    return this.#add({ type: "link", address, parts: [{ type: "text", text: address }] }, this.#at + whole.length)
  }

  #bareAddress(): boolean {
    if (isWord(this.#text[this.#at - 1])) return false
    const found = this.#match(BARE)
    if (found === null) return false
    let address = found[0].replace(/[.,:;!?'*_~]+$/, "")
    // A closing parenthesis at the end belongs to the sentence, unless the address contains an opening one.
    if (address.endsWith(")") && !address.includes("(")) address = address.slice(0, -1)
    return this.#add({ type: "link", address, parts: [{ type: "text", text: address }] }, this.#at + address.length)
  }

  #entity(): boolean {
    const found = this.#match(ENTITY)
    if (found === null) return false
    const [whole, decimal, name = ""] = found
    const code = Number(decimal ?? 0)
    const isCharacter = code > 0 && code <= LAST_CHARACTER && (code < 0xd800 || code > 0xdfff)
    this.#plain += decimal === undefined ? NAMED[name] : isCharacter ? String.fromCodePoint(code) : "\ufffd"
    this.#at += whole.length
    return true
  }

  #emphasis(): boolean {
    const text = this.#text
    const start = this.#at
    const found = MARKS.find(([mark]) => text.startsWith(mark, start))
    if (found === undefined) return false
    const [mark, type] = found
    const isInWord = mark.startsWith("_") && isWord(text[start - 1])
    const close = this.#depth >= DEEPEST || isInWord ? -1 : this.#closingMark(mark, start + mark.length)
    if (close === -1) {
      this.#plain += mark
      this.#at += mark.length
      return true
    }
    const parts = parseInlines(text.slice(start + mark.length, close), this.#depth + 1)
    return this.#add({ type, parts }, close + mark.length)
  }

  /** Returns the index at which the emphasis ends that begins at `from`; -1 if it does not end. */
  #closingMark(mark: string, from: number): number {
    const text = this.#text
    if (/\s/.test(text[from] ?? " ") || this.#unclosed.has(mark)) return -1
    for (let at = text.indexOf(mark, from + 1); at !== -1; at = text.indexOf(mark, at + 1)) {
      if (/\s/.test(text[at - 1]!) || text[at - 1] === "\\") continue
      if (mark === "_" || mark === "__") {
        if (isWord(text[at + mark.length])) continue
      }
      // Neither half of `**` closes a `*`; of `***` the last character does.
      if (mark.length === 1 && text[at + 1] === mark) {
        at += 1
        if (text[at + 1] !== mark) continue
        return at + 1
      }
      if (mark.length === 2 && text[at + 2] === mark[0]) return at + 1
      return at
    }
    this.#unclosed.add(mark)
    return -1
  }
}
