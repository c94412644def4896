import type { ParsedDocument } from "../reading/DocumentParser.ts"
import type { TextSpan } from "../reading/readableText.ts"

/** The number of lines at the top and at the bottom of a page that can be its running head or foot. */
const EDGE_LINES = 3
/** The maximum length of a running head or foot; longer lines are text. */
const MAX_LINE = 160
/** A line counts as a running head or foot if at least this many pages that are near each other have it. */
const LEAST_PAGES = 3
/**
 * The maximum distance between two such pages: left and right pages have different heads, and chapters begin without
 * one.
 */
const MAX_DISTANCE = 4
/** In a line with more numbers than this, no number counts as a page number. */
const MAX_NUMBERS = 3
/** If heads and feet would be more than this share of a document, its pages are alike, and nothing is left out. */
const MAX_SHARE = 0.4
/** The number of pages in one step: about a millisecond of work. */
const PAGES_PER_STEP = 50

interface EdgeLine extends TextSpan {
  readonly keys: ReadonlyArray<string>
}

/** The first lines of a page from the top, or the last lines from the bottom, without blank lines. */
const edgeLines = (text: string, page: TextSpan, index: number, edge: "top" | "bottom"): ReadonlyArray<EdgeLine> => {
  const found: Array<EdgeLine> = []
  let at = edge === "top" ? page.start : page.end
  while (found.length < EDGE_LINES && (edge === "top" ? at < page.end : at > page.start)) {
    const [start, end] = lineAt(text, page, at, edge)
    if (text.slice(start, Math.min(end, start + MAX_LINE)).trim() !== "") {
      if (end - start > MAX_LINE) break
      found.push({ start, end, keys: keysOf(text.slice(start, end), index) })
    }
    at = edge === "top" ? end + 1 : start - 1
  }
  return found
}

const lineAt = (text: string, page: TextSpan, at: number, edge: "top" | "bottom"): readonly [number, number] => {
  if (edge === "top") {
    const end = text.indexOf("\n", at)
    return [at, end === -1 || end > page.end ? page.end : end]
  }
  const start = at === 0 ? -1 : text.lastIndexOf("\n", at - 1)
  return [Math.max(page.start, start + 1), at]
}

/**
 * Returns the keys by which lines are compared: the words with each number as it is, and with each number as its
 * distance from the page's index, because page numbers increase with the pages. Lines with many numbers match only
 * lines with the same numbers.
 */
const keysOf = (line: string, index: number): ReadonlyArray<string> => {
  const parts = line
    .trim()
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .split(/(\d{1,6})/u)
  const numbers = (parts.length - 1) / 2
  if (numbers > MAX_NUMBERS) return [parts.join("")]
  return Array.from({ length: 2 ** numbers }, (_, relative) =>
    parts
      .map((part, at) => (at % 2 === 1 && (relative >> ((at - 1) / 2)) % 2 === 1 ? `\0${Number(part) - index}` : part))
      .join("")
  )
}

/**
 * Returns the pages that belong to a group of at least `LEAST_PAGES` pages that are near each other; `pages` are in
 * order.
 */
const inStretches = (pages: ReadonlyArray<number>): ReadonlySet<number> => {
  const found = new Set<number>()
  let from = 0
  pages.forEach((page, at) => {
    const next = pages[at + 1]
    if (next !== undefined && next - page <= MAX_DISTANCE) return
    if (at + 1 - from >= LEAST_PAGES) for (const each of pages.slice(from, at + 1)) found.add(each)
    from = at + 1
  })
  return found
}

const pagesOf = ({ pageStarts, text }: ParsedDocument): ReadonlyArray<TextSpan> =>
  (pageStarts ?? []).map((start, index) => ({ start, end: pageStarts?.[index + 1] ?? text.length }))

interface Edges {
  readonly top: ReadonlyArray<EdgeLine>
  readonly bottom: ReadonlyArray<EdgeLine>
}

/**
 * Returns a function that returns the number of repeated lines at the top or bottom of a page, counted from the
 * outermost line.
 */
function* runningAt(edges: ReadonlyArray<Edges>, edge: keyof Edges): Generator<undefined, (index: number) => number> {
  const byKey = new Map<string, Array<number>>()
  for (const [index, lines] of edges.entries()) {
    if (index % PAGES_PER_STEP === 0) yield
    for (const key of new Set(lines[edge].flatMap(({ keys }) => keys))) {
      const on = byKey.get(key)
      if (on === undefined) byKey.set(key, [index])
      else on.push(index)
    }
  }
  const stretches = new Map<string, ReadonlySet<number>>()
  for (const [key, on] of byKey) {
    // Most lines are on too few pages to be a head or foot; they are skipped.
    if (on.length >= LEAST_PAGES) stretches.set(key, inStretches(on))
  }
  yield
  return (index) => {
    const lines = edges[index]![edge]
    const first = lines.findIndex(({ keys }) => !keys.some((key) => stretches.get(key)?.has(index) === true))
    return first === -1 ? lines.length : first
  }
}

/** The part of each page between its running head and foot. */
function* bodiesOf(
  document: ParsedDocument,
  pages: ReadonlyArray<TextSpan>
): Generator<undefined, ReadonlyArray<TextSpan>> {
  const edges: Array<Edges> = []
  for (const [index, page] of pages.entries()) {
    if (index % PAGES_PER_STEP === 0) yield
    edges.push({
      top: edgeLines(document.text, page, index, "top"),
      bottom: edgeLines(document.text, page, index, "bottom")
    })
  }
  const heads = yield* runningAt(edges, "top")
  const feet = yield* runningAt(edges, "bottom")
  return pages.map((page, index) => {
    const start = edges[index]!.top[heads(index) - 1]?.end ?? page.start
    const end = edges[index]!.bottom[feet(index) - 1]?.start ?? page.end
    return start < end ? { start, end } : { start: page.end, end: page.end }
  })
}

function* lengthOf(text: string, spans: ReadonlyArray<TextSpan>): Generator<undefined, number> {
  let length = 0
  for (const [index, { end, start }] of spans.entries()) {
    if (index % PAGES_PER_STEP === 0) yield
    length += text.slice(start, end).trim().length
  }
  return length
}

/** Computes `pageBodies` in steps of a few pages, between which other work may run. */
export function* pageBodySteps(document: ParsedDocument): Generator<undefined, ReadonlyArray<TextSpan>> {
  const pages = pagesOf(document)
  if (pages.length < LEAST_PAGES) return pages
  const bodies = yield* bodiesOf(document, pages)
  const left = yield* lengthOf(document.text, bodies)
  return left < (1 - MAX_SHARE) * (yield* lengthOf(document.text, pages)) ? pages : bodies
}

/**
 * Returns the part of each page that is cut into passages: everything except the lines at its top and bottom that
 * repeat on several pages, such as titles and page numbers. Empty if the document has no pages. Linear in the number of
 * pages.
 */
export const pageBodies = (document: ParsedDocument): ReadonlyArray<TextSpan> => {
  const steps = pageBodySteps(document)
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}

/** The maximum length of the rest of a sentence that is moved from the next page to this one, in UTF-16 units. */
const MAX_REST = 600

/**
 * Returns the end of a page's passages if the next page starts at `pageEnd` and the page after it at `nextEnd`
 * (undefined: the end of the text). Usually this is `pageEnd`; if a sentence runs over the page break, it is the end of
 * that sentence. A sentence runs over the break if the text before it has no closing mark and the text after it begins
 * with a lower-case letter; in scripts without lower case, if a letter follows a letter or a comma.
 */
export const sentenceOverBreak = (text: string, pageEnd: number, nextEnd: number | undefined): number => {
  const before = lastBefore(text, pageEnd)
  const next = firstAfter(text, pageEnd)
  if (!runsOver(before, next.character)) return pageEnd
  const limit = Math.min(nextEnd ?? text.length, next.at + MAX_REST)
  const rest = /(?:[.!?…؟۔।]["'”’)\]]{0,3}(?=\s|$)|[。！？]|(?=\n\n))/u.exec(text.slice(next.at, limit))
  if (rest !== null) return next.at + rest.index + rest[0].length
  return limit === text.length ? limit : pageEnd
}

const runsOver = (before: string, after: string): boolean =>
  before !== "" &&
  ((/\p{Ll}/u.test(after) && !/[.!?…:;]/u.test(before)) || (/\p{Lo}/u.test(after) && /[\p{Lo}、،，]/u.test(before)))

const lastBefore = (text: string, end: number): string => {
  const tail = text.slice(Math.max(0, end - 64), end).trimEnd()
  return Array.from(tail.slice(-2)).at(-1) ?? ""
}

const firstAfter = (text: string, from: number): { readonly at: number; readonly character: string } => {
  const head = text.slice(from, from + 64)
  const at = from + (head.length - head.trimStart().length)
  return { at, character: String.fromCodePoint(text.codePointAt(at) ?? 0x20) }
}
