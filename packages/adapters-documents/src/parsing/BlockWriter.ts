import { withoutMarks } from "./headingMarks.ts"

/**
 * Writes a text of blocks: a run of white space becomes one space, and between blocks there is the largest requested
 * number of line ends. Without recursion, and in time linear in the length of the text.
 */
export class BlockWriter {
  readonly #parts: Array<string> = []
  #breaks = 0
  #space = false
  /** At the beginning of the text, or right after the mark of a list item: the next words need no line of their own. */
  #fresh = true
  #length = 0

  /** UTF-16 units written so far. */
  get length(): number {
    return this.#length
  }

  /** Words of the document; `exact` keeps their white space and lines. */
  write(text: string, { exact = false }: { readonly exact?: boolean } = {}): void {
    const words = withoutMarks(text)
    if (exact) return this.#put(words)
    const collapsed = words.replace(/\s+/gu, " ")
    if (collapsed.startsWith(" ")) this.#space = true
    const inner = collapsed.trim()
    if (inner === "") return
    this.#put(inner)
    this.#space = collapsed.endsWith(" ")
  }

  /** Adds the output of another writer, with its marks. */
  copy(written: string): void {
    this.#put(written)
  }

  /** Adds a mark that is no word of the document: of a heading or of a list item, before its words. */
  mark(text: string): void {
    this.#put(text)
    this.#fresh = true
  }

  /** Requests at least this number of line ends before the next words. */
  apart(lines: 1 | 2): void {
    this.#space = false
    if (!this.#fresh) this.#breaks = Math.max(this.#breaks, lines)
  }

  text(): string {
    return this.#parts.join("")
  }

  #put(text: string): void {
    if (this.#breaks > 0) this.#append("\n".repeat(this.#breaks))
    else if (this.#space && !this.#fresh) this.#append(" ")
    this.#breaks = 0
    this.#space = false
    this.#fresh = false
    this.#append(text)
  }

  #append(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
  }
}
