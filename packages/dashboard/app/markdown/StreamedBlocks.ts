import type { Token } from "marked"
import { lexMarkdown } from "./lexMarkdown.ts"
import { tidyTail } from "./tidyTail.ts"

/**
 * A block of a reply. While the reply grows, its key stays the same; the object stays the same once the block is
 * finished.
 */
export interface Block {
  readonly key: number
  readonly token: Token
}

/** The number of last blocks that may still change: a paragraph continues, or a list gets another item. */
const OPEN_BLOCKS = 2

/**
 * The blocks of a growing text. Finished blocks are parsed once, so that a call costs time only for the last blocks,
 * however long the text is.
 */
export class StreamedBlocks {
  #finished: Array<Block> = []
  /** The offset in the text at which the blocks begin that may still change. */
  #from = 0
  #text = ""

  /** Takes the complete text so far, and returns its blocks. */
  update(text: string): ReadonlyArray<Block> {
    if (!text.startsWith(this.#text)) {
      this.#finished = []
      this.#from = 0
    }
    this.#text = text
    const open = lexMarkdown(text.slice(this.#from))
    const lasting = open.slice(0, Math.max(0, open.length - OPEN_BLOCKS))
    // A link definition changes the text after it, so that text is parsed together with the definition.
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
