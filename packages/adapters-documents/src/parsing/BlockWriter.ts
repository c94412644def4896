import { withoutMarks } from "./headingMarks.ts"

/**
 * Writes a text that consists of blocks. A run of white space becomes one space, and between two blocks the largest
 * requested number of line ends is written. It uses no recursion, and its time is linear in the length of the text.
 */
export class BlockWriter {
  readonly #parts: Array<string> = []
  #breaks = 0
  #space = false
  /** True at the beginning of the text, and directly after the mark of a list item: the next words need no new line. */
  #fresh = true
  #length = 0

  /** The number of UTF-16 units written so far. */
  get length(): number {
    return this.#length
  }

  /** Writes words of the document. If `exact` is true, white space and line ends stay as they are. */
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

  /** Writes the output of another writer, including its marks. */
  copy(written: string): void {
    this.#put(written)
  }

  /** Writes the mark of a heading or of a list item before its words; the mark itself is no word of the document. */
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
