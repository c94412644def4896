import { drawBlock, type Drawing } from "./drawBlock.ts"
import { type ReadBlock, readBlocks } from "./parseBlocks.ts"

/** Marks at the end of a text without anything after them, and an incomplete link. */
const OPEN_MARKS =
  /(?:\*{1,3}|_{1,2}|~{1,2}|`{1,3}|!?\[[^\]\n]*(?:\]\([^)\s]*)?|(?:^|\n)[ \t]*(?:[-=]+|[*+]|#{1,6}|\d{1,9}[.)]?|\|)[ \t]*)$/
const TAIL = 300

const isOdd = (text: string, mark: string): boolean => text.split(mark).length % 2 === 0

/**
 * Returns an unfinished text as it will most likely look: holds back characters whose meaning the next letter may
 * change, and closes open marks. Without this the text would flicker.
 */
const tidied = (text: string): string => {
  if (isOdd(`\n${text}`, "\n```")) return text
  const start = Math.max(text.lastIndexOf("\n\n") + 2, text.length - TAIL)
  if (start < 2) return tidiedEnd(text)
  return text.slice(0, start) + tidiedEnd(text.slice(start))
}

const tidiedEnd = (end: string): string => {
  const rest = end.replace(OPEN_MARKS, "")
  const mark = ["`", "**"].find((each) => isOdd(rest, each))
  return mark === undefined ? rest : rest.trimEnd() + mark
}

/** Renders markdown. While the text grows, only the changed blocks are rendered again. */
export class MarkdownView {
  readonly element: HTMLElement
  readonly #drawing: Drawing
  #shown: ReadonlyArray<ReadBlock> = []

  constructor(element: HTMLElement, drawing: Drawing) {
    this.element = element
    this.#drawing = drawing
    element.classList.add("markdown")
  }

  /** Shows the complete text so far. Returns the number of blocks that will not change any more. */
  show(text: string, isComplete: boolean): number {
    const blocks = readBlocks(isComplete ? text : tidied(text))
    const same = this.#shown.findIndex(({ raw }, index) => blocks[index]?.raw !== raw)
    const kept = same === -1 ? this.#shown.length : same
    while (this.element.childNodes.length > kept) this.element.lastChild?.remove()
    this.element.append(...blocks.slice(kept).map(({ block }) => drawBlock(block, this.#drawing)))
    this.#shown = blocks
    return isComplete ? blocks.length : blocks.length - 1
  }

  /** Renders all blocks again, because the sources of the citations have changed. */
  redraw(): void {
    this.element.replaceChildren(...this.#shown.map(({ block }) => drawBlock(block, this.#drawing)))
  }
}
