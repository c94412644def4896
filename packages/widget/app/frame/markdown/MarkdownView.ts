import { drawBlock, type Drawing } from "./drawBlock.ts"
import { type ReadBlock, readBlocks } from "./parseBlocks.ts"

/** Marks at the end that nothing follows yet, and half a link. */
const OPEN_MARKS =
  /(?:\*{1,3}|_{1,2}|~{1,2}|`{1,3}|!?\[[^\]\n]*(?:\]\([^)\s]*)?|(?:^|\n)[ \t]*(?:[-=]+|[*+]|#{1,6}|\d{1,9}[.)]?|\|)[ \t]*)$/
const TAIL = 300

const isOdd = (text: string, mark: string): boolean => text.split(mark).length % 2 === 0

/**
 * A text that is still being written, as it will most likely look: what could turn into something else with the next
 * letter waits, and marks that are open are closed. Without this, words would jump between looks.
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

/** Shows a text in markdown, and draws anew only what has changed while it grows. */
export class MarkdownView {
  readonly element: HTMLElement
  readonly #drawing: Drawing
  #shown: ReadonlyArray<ReadBlock> = []

  constructor(element: HTMLElement, drawing: Drawing) {
    this.element = element
    this.#drawing = drawing
    element.classList.add("markdown")
  }

  /** Shows the whole text so far; gives how many of its blocks will not change any more. */
  show(text: string, isComplete: boolean): number {
    const blocks = readBlocks(isComplete ? text : tidied(text))
    const same = this.#shown.findIndex(({ raw }, index) => blocks[index]?.raw !== raw)
    const kept = same === -1 ? this.#shown.length : same
    while (this.element.childNodes.length > kept) this.element.lastChild?.remove()
    this.element.append(...blocks.slice(kept).map(({ block }) => drawBlock(block, this.#drawing)))
    this.#shown = blocks
    return isComplete ? blocks.length : blocks.length - 1
  }

  /** Draws everything anew, as what citations stand for has changed. */
  redraw(): void {
    this.element.replaceChildren(...this.#shown.map(({ block }) => drawBlock(block, this.#drawing)))
  }
}
