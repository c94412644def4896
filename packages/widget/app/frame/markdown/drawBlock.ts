import { element } from "../element.ts"
import type { Block, Inline } from "./Markdown.ts"
import { safeAddress } from "./safeAddress.ts"

/** The interactive parts of a text. */
export interface Drawing {
  /** Asks before it goes anywhere. */
  readonly onLink: (address: URL) => void
  /** Draws a citation of these sources; undefined if the number has none. */
  readonly citation: (number: number) => Node | undefined
  /** The label in place of an image, which is never loaded. */
  readonly imageLabel: (text: string) => string
}

/** Draws a block as nodes. The words of a text become text nodes only. */
export const drawBlock = (block: Block, drawing: Drawing): HTMLElement => {
  const inside = (parts: ReadonlyArray<Inline>) => drawInlines(parts, drawing)
  switch (block.type) {
    case "paragraph":
      return element("p", { dir: "auto" }, ...inside(block.parts))
    case "heading":
      // All headings of a reply are below the chat's own heading.
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

/** A single paragraph of an item stands in it without space around. */
const drawItem = (blocks: ReadonlyArray<Block>, drawing: Drawing): ReadonlyArray<Node> =>
  blocks.flatMap((block, index): ReadonlyArray<Node> =>
    block.type === "paragraph" && index === 0 ? drawInlines(block.parts, drawing) : [drawBlock(block, drawing)]
  )

const LAST_WORD = /\S{1,30}\s?$/

/** Draws parts of a line; a citation stays with the word before it. */
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

/** Not a link but a button that asks: an address of the model's choice is not followed, nor looked up, unasked. */
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
