import { citedNumbers } from "./citations.js"
import { element } from "./element.js"

/**
 * The sources of a reply: those it cites, and in a fold of their own the passages that were given to the model besides.
 * @param {string} messageId
 * @param {string} text the reply
 * @param {ReadonlyArray<import("./api.js").Source>} sources
 * @returns {{ view: HTMLElement, elementOf: (number: number) => HTMLElement | undefined }}
 */
export const renderSources = (messageId, text, sources) => {
  const cited = citedNumbers(text)
  /** @type {Map<number, HTMLElement>} */
  const elements = new Map(sources.map((source) => [source.number, renderSource(messageId, source)]))
  const pick = (/** @type {boolean} */ isCited) =>
    sources
      .filter((source) => cited.has(source.number) === isCited)
      .flatMap((source) => elements.get(source.number) ?? [])
  const [used, others] = [pick(true), pick(false)]
  const headingId = `sources-${messageId}`
  const view = element("section", { class: "sources", "aria-labelledby": headingId })
  view.append(element("h3", { id: headingId }, used.length > 0 ? "Sources" : "No passage is cited"), ...used)
  if (others.length > 0) {
    const summary = element("summary", {}, `Other passages given to the model (${others.length})`)
    view.append(element("details", { class: "other-sources" }, summary, ...others))
  }
  return { view, elementOf: (number) => elements.get(number) }
}

/**
 * @param {string} messageId
 * @param {import("./api.js").Source} source
 */
const renderSource = (messageId, source) => {
  const place = source.page === null ? "" : `, page ${source.page}`
  const summary = element(
    "summary",
    {},
    element("span", { class: "source-number" }, `[${source.number}]`),
    element("span", { class: "source-place" }, `${source.filename}${place}`)
  )
  const details = element(
    "details",
    { class: "source", id: `source-${messageId}-${source.number}` },
    summary,
    element("blockquote", {}, source.text)
  )
  details.addEventListener("show-source", () => {
    details.open = true
    const fold = details.parentElement?.closest("details")
    if (fold) fold.open = true
    details.scrollIntoView({ block: "nearest" })
    summary.focus()
  })
  return details
}
