import { element } from "../element.ts"
import type { Block, Inline } from "./Markdown.ts"
import { safeAddress } from "./safeAddress.ts"

/** The functions for the interactive parts of a text. */
export interface Drawing {
  /** Called when a link is pressed; asks the visitor before it opens. */
  readonly onLink: (address: URL) => void
  /** Draws the citation of a source; undefined if no source has this number. */
  readonly citation: (number: number) => Node | undefined
  /** The label in place of an image, which is never loaded. */
  readonly imageLabel: (text: string) => string
}

/** Draws a block as DOM nodes. The words of a text become text nodes only, never HTML. */
export const drawBlock = (block: Block, drawing: Drawing): HTMLElement => {
  const inside = (parts: ReadonlyArray<Inline>) => drawInlines(parts, drawing)
  switch (block.type) {
    case "paragraph":
      return element("p", { dir: "auto" }, ...inside(block.parts))
    case "heading":
      // The headings of a reply are placed below the chat's own heading.
      return element(block.level <= 2 ? "h3" : "h4", { dir: "auto" }, ...inside(block.parts))
    case "code":
      return element("pre", { tabindex: 0, dir: "ltr" }, element("code", {}, block.text))
    case "quote":
      return element("blockquote", { dir: "auto" }, ...block.blocks.map((each) => drawBlock(each, drawing)))
    case "list": {
      const items = block.items.map((item) => element("li", {}, ...drawItem(item, drawing)))
      return block.start === undefined
        ? element("ul", { dir: "auto" }, ...items)
        : element("ol", { dir: "auto", start: block.start === 1 ? undefined : block.start }, ...items)
    }
    case "table": {
      const [head = [], ...rows] = block.rows.map((cells, row) =>
        cells.map((parts, column) => {
          const alignment = block.alignments[column] ?? "start"
          return row === 0
            ? element("th", { scope: "col", dir: "auto", class: alignment }, ...inside(parts))
            : element("td", { dir: "auto", class: alignment }, ...inside(parts))
        })
      )
      const table = element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...head)),
        element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells)))
      )
      return element("div", { class: "table", tabindex: 0 }, table)
    }
    case "rule":
      return element("hr")
  }
}

/**
 * The first paragraph of an item is drawn directly in the item, without space around it.
 */
const drawItem = (blocks: ReadonlyArray<Block>, drawing: Drawing): ReadonlyArray<Node> =>
  blocks.flatMap((block, index): ReadonlyArray<Node> =>
    block.type === "paragraph" && index === 0 ? drawInlines(block.parts, drawing) : [drawBlock(block, drawing)]
  )

const LAST_WORD = /\S{1,30}\s?$/

/** Draws the parts of a line. No line break can separate a citation from the word before it. */
const drawInlines = (parts: ReadonlyArray<Inline>, drawing: Drawing): ReadonlyArray<Node> => {
  const nodes: Array<Node> = []
  for (const part of parts) {
    const drawn = drawInline(part, drawing)
    const before = nodes.at(-1)
    if (part.type === "citation" && before instanceof Text) {
      const word = LAST_WORD.exec(before.data)?.[0] ?? ""
      before.data = before.data.slice(0, before.data.length - word.length)
      ;(drawn as HTMLElement).prepend(word.trimEnd())
    }
    nodes.push(drawn)
  }
  return nodes
}

const drawInline = (part: Inline, drawing: Drawing): Node => {
  switch (part.type) {
    case "text":
      return document.createTextNode(part.text)
    case "code":
      return element("code", {}, part.text)
    case "strong":
      return element("strong", {}, ...drawInlines(part.parts, drawing))
    case "emphasis":
      return element("em", {}, ...drawInlines(part.parts, drawing))
    case "struck":
      return element("del", {}, ...drawInlines(part.parts, drawing))
    case "link":
      return drawLink(part.address, drawInlines(part.parts, drawing), drawing)
    case "image":
      return drawLink(part.address, [document.createTextNode(drawing.imageLabel(part.text))], drawing)
    case "citation": {
      return element("span", { class: "citations" }, ...part.numbers.map((number) => drawing.citation(number)))
    }
    case "break":
      return element("br")
  }
}

/**
 * A link of a reply is drawn as a button that asks first: the model has chosen the address, so the browser must neither
 * open nor resolve it without the visitor's consent.
 */
const drawLink = (address: string, inside: ReadonlyArray<Node>, { onLink }: Drawing): Node => {
  const safe = safeAddress(address)
  const isNested = inside.some(
    (node) => node instanceof Element && (node.matches("button") || node.querySelector("button"))
  )
  if (safe === undefined || isNested) return element("span", {}, ...inside)
  return element(
    "button",
    { type: "button", class: "link", "aria-haspopup": "dialog", click: () => onLink(safe) },
    ...inside
  )
}
