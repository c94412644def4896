import { element } from "./element.js"

const CITATION = /\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g

/**
 * The numbers that a reply cites, as `[1]` or `[1, 2]`.
 * @param {string} text
 * @returns {Set<number>}
 */
export const citedNumbers = (text) =>
  new Set([...text.matchAll(CITATION)].flatMap((match) => (match[1] ?? "").split(",").map(Number)))

/**
 * The text with each citation of a known source made a link to it. Everything else stays text.
 * @param {string} text
 * @param {(number: number) => HTMLElement | undefined} sourceOf the element that shows the source
 * @returns {Node[]}
 */
export const linkCitations = (text, sourceOf) => {
  /** @type {Node[]} */
  const parts = []
  let from = 0
  for (const match of text.matchAll(CITATION)) {
    const links = (match[1] ?? "").split(",").map((digits) => linkTo(Number(digits), sourceOf))
    if (links.some((link) => link === undefined)) continue
    parts.push(new Text(text.slice(from, match.index)))
    for (const link of links) if (link !== undefined) parts.push(link)
    from = match.index + match[0].length
  }
  parts.push(new Text(text.slice(from)))
  return parts
}

/**
 * @param {number} number
 * @param {(number: number) => HTMLElement | undefined} sourceOf
 */
const linkTo = (number, sourceOf) => {
  const source = sourceOf(number)
  if (source === undefined) return undefined
  const link = element(
    "a",
    { href: `#${source.id}`, class: "citation", "aria-label": `Source ${number}` },
    `[${number}]`
  )
  link.addEventListener("click", (event) => {
    event.preventDefault()
    source.dispatchEvent(new CustomEvent("show-source"))
  })
  return link
}
