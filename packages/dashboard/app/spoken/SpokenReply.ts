import type { Token } from "marked"
import { normalMarkdown } from "../markdown/lexMarkdown.ts"
import { plainText } from "./plainText.ts"
import { type Block, StreamedBlocks } from "../markdown/StreamedBlocks.ts"

const SENTENCE_END = /[.!?]["')\]]*(?=\s)|\n/g

/** The least number of characters of an announcement; a shorter beginning waits for more text. */
const LEAST = 60

/**
 * The types of blocks that are announced while they grow. Other blocks may change their form until they are finished.
 */
const PROSE: ReadonlySet<string> = new Set(["paragraph", "text", "heading", "list", "blockquote"])

/** Announces a growing reply: as plain text, in whole sentences, each of them once. */
export class SpokenReply {
  readonly #blocks = new StreamedBlocks()
  /** The number of announced characters of each block. */
  readonly #spoken = new Map<number, number>()
  readonly #finished = new WeakSet<Block>()
  #length = 0

  /**
   * Returns the texts to announce now.
   *
   * @param text the complete reply so far; if it is read again from its beginning, it may be shorter than before
   * @param isWhole true if the reply is complete
   */
  update(text: string, isWhole: boolean): ReadonlyArray<string> {
    const isSentenceNew = /[.!?\n]/.test(text.slice(this.#length))
    if (!isWhole && !isSentenceNew && text.length >= this.#length) return []
    this.#length = text.length
    // A blank line ends the last block, whatever its type.
    const blocks = this.#blocks.update(normalMarkdown(isWhole ? `${text}\n\n` : text))
    const last = blocks.findLast(({ token }) => token.type !== "space")
    return blocks.flatMap((block) => {
      if (this.#finished.has(block)) return []
      const isFinished = isWhole || block !== last
      const words = this.#speak(block, isFinished)
      if (isFinished) this.#finished.add(block)
      return words === "" ? [] : [words]
    })
  }

  #speak({ key, token }: Block, isFinished: boolean): string {
    const words = plainText(token)
    const from = this.#spoken.get(key) ?? 0
    const to = isFinished ? words.length : from + wholeSentences(words.slice(from), token)
    if (to > from) this.#spoken.set(key, to)
    return words.slice(from, to).trim()
  }
}

/** The length of the complete sentences in a growing block. */
const wholeSentences = (waiting: string, { type }: Token): number => {
  if (!PROSE.has(type) || waiting.length < LEAST) return 0
  const last = [...waiting.matchAll(SENTENCE_END)].at(-1)
  return last === undefined ? 0 : last.index + last[0].length
}
