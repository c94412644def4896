import type { ParsedDocument } from "../reading/DocumentParser.ts"
import type { TextSpan } from "../reading/readableText.ts"

/** Lines at the top and at the bottom of a page that can be its running head or foot. */
const EDGE_LINES = 3
/** A longer line is text. */
const MAX_LINE = 160
/** A line counts as a running head or foot if this many pages of a stretch have it. */
const LEAST_PAGES = 3
/** The longest distance between two of them: left and right pages have different heads, and chapters begin without. */
const MAX_DISTANCE = 4
/** More numbers than this have no page number among them. */
const MAX_NUMBERS = 3
/** If heads would make up more than this share of a document, its pages are alike, and nothing is left out. */
const MAX_SHARE = 0.4
/** About a millisecond's work. */
const PAGES_PER_STEP = 50

interface EdgeLine extends TextSpan {
  readonly keys: ReadonlyArray<string>
}

/** A page's first lines downwards, or its last ones upwards, without the blank ones. */
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
 * Returns the keys by which lines are compared: the words, with each number as it is and as its distance from the
 * page's index, since only page numbers rise with the pages. Rows of figures never match each other.
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

/** Those of these pages, in order, that are one of enough near each other. */
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

/** Returns how many lines of a page's edge repeat, from the outermost on. */
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
    // A line that is on too few pages runs nowhere, and most are.
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

/** `pageBodies`, with a stop every few pages at which other work can have its turn. */
export function* pageBodySteps(document: ParsedDocument): Generator<undefined, ReadonlyArray<TextSpan>> {
  const pages = pagesOf(document)
  if (pages.length < LEAST_PAGES) return pages
  const bodies = yield* bodiesOf(document, pages)
  const left = yield* lengthOf(document.text, bodies)
  return left < (1 - MAX_SHARE) * (yield* lengthOf(document.text, pages)) ? pages : bodies
}

/**
 * Returns the part of each page that is cut into passages: all but the lines at its top and bottom that repeat over
 * pages, as titles and page numbers do. Empty if the document has no pages. Linear in the number of pages.
 */
export const pageBodies = (document: ParsedDocument): ReadonlyArray<TextSpan> => {
  const steps = pageBodySteps(document)
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}

/** The longest rest of a sentence that is taken over from the next page, in UTF-16 units. */
const MAX_REST = 600

/**
 * Returns the end of a page's passages if the next page starts at `pageEnd` and the one after at `nextEnd` (undefined:
 * the end of the text). Usually `pageEnd`; if a sentence runs over the break, the end of that sentence. A sentence runs
 * over the break if nothing closes the text before it and the text after it begins with a small letter, or, in scripts
 * without small letters, with a letter after a letter or a comma.
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
