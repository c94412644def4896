import type { Token } from "marked"
import { lexMarkdown } from "./lexMarkdown.ts"
import { tidyTail } from "./tidyTail.ts"

/** One block of a reply. Its key stays the same while the reply grows, and so does the object once it is finished. */
export interface Block {
  readonly key: number
  readonly token: Token
}

/** The last blocks may still change: a paragraph continues, a list gets another item. */
const OPEN_BLOCKS = 2

/**
 * The blocks of a growing text. Finished blocks are parsed once: a call costs time for the open end only, independent
 * of the text's length.
 */
export class StreamedBlocks {
  #finished: Array<Block> = []
  /** The offset at which the open end begins. */
  #from = 0
  #text = ""

  /** Takes the whole text so far; returns its blocks. */
  update(text: string): ReadonlyArray<Block> {
    if (!text.startsWith(this.#text)) {
      this.#finished = []
      this.#from = 0
    }
    this.#text = text
    const open = lexMarkdown(text.slice(this.#from))
    const lasting = open.slice(0, Math.max(0, open.length - OPEN_BLOCKS))
    // The text after a link definition depends on it, so it is parsed together with the definition.
    const isSafe = !open.some(({ type }) => type === "def")
    if (isSafe && lasting.length > 0) {
      for (const token of lasting) {
        this.#finished.push({ key: this.#finished.length, token })
        this.#from += token.raw.length
      }
    }
    const rest = lexMarkdown(tidyTail(text.slice(this.#from)))
    return [...this.#finished, ...rest.map((token, index) => ({ key: this.#finished.length + index, token }))]
  }
}
