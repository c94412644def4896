import type { Source } from "../api/Transcript.ts"
import { element } from "../element.ts"
import { icon } from "../icon.ts"
import type { Catalogue } from "../languages/Catalogue.ts"

/** The passages that a reply cites, each closed until the reader opens it. */
export class SourceList {
  readonly element: HTMLElement
  readonly #entries = new Map<number, HTMLDetailsElement>()

  constructor(sources: ReadonlyArray<Source>, texts: Catalogue) {
    for (const source of sources) this.#entries.set(source.number, entryOf(source, texts))
    const items = [...this.#entries.values()].map((entry) => element("li", {}, entry))
    this.element = element(
      "div",
      { class: "sources" },
      element("p", { class: "label" }, texts.say("sources")),
      element("ul", { "aria-label": texts.say("sources") }, ...items)
    )
  }

  /** Opens a source and scrolls to it. */
  show(number: number): void {
    const entry = this.#entries.get(number)
    if (entry === undefined) return
    entry.open = true
    entry.querySelector("summary")?.focus()
    entry.scrollIntoView({ block: "nearest" })
  }
}

const entryOf = (source: Source, texts: Catalogue): HTMLDetailsElement => {
  const { filename, number, page, text } = source
  const place = page === undefined ? undefined : element("span", { class: "place" }, texts.say("page", { page }))
  return element(
    "details",
    {},
    element(
      "summary",
      {},
      element("span", { class: "number" }, String(number)),
      element("span", { class: "name" }, element("bdi", {}, filename)),
      place,
      icon("chevron")
    ),
    element("blockquote", { dir: "auto" }, text)
  )
}
