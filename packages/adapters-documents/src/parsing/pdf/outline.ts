import type { LevelOf } from "./headingLevels.ts"
import type { PageLine } from "./page.ts"

/**
 * A bookmark of a PDF with the bookmarks below it. `dest` is its destination, or the name of its destination; a
 * destination begins with its page.
 */
interface Bookmark {
  readonly title: string
  readonly dest: unknown
  readonly items: ReadonlyArray<Bookmark>
}

export interface OutlinedPdf {
  getOutline(): Promise<ReadonlyArray<Bookmark> | null>
  getDestination(name: string): Promise<unknown>
}

/** The numbers that identify an object in a PDF. */
export interface PdfReference {
  readonly num: number
  readonly gen: number
}

/** A bookmark with its level and its page, counted from 0. */
interface Mark {
  readonly level: number
  readonly title: string
  readonly page: number
}

/** The most bookmarks that are read, and the least number of bookmarks that count as an outline. */
const MOST_MARKS = 5_000
const LEAST_MARKS = 2
/** If a smaller share of the bookmarks is found on their pages, the outline is not used for headings. */
const LEAST_FOUND = 0.5

const keyOf = ({ gen, num }: PdfReference): string => `${num} ${gen}`

const isReference = (value: unknown): value is PdfReference =>
  typeof value === "object" && value !== null && "num" in value && "gen" in value

/** Returns all bookmarks with their levels, each before the bookmarks below it. */
const flattened = (bookmarks: ReadonlyArray<Bookmark>): ReadonlyArray<Bookmark & { readonly level: number }> => {
  const flat: Array<Bookmark & { readonly level: number }> = []
  const open = bookmarks.map((bookmark) => ({ ...bookmark, level: 1 })).toReversed()
  for (let next = open.pop(); next !== undefined && flat.length < MOST_MARKS; next = open.pop()) {
    const { items, level } = next
    flat.push(next)
    for (const item of items.toReversed()) open.push({ ...item, level: level + 1 })
  }
  return flat
}

/** Reads the bookmarks that lead to a page. `references` are the object numbers of the pages, the first page first. */
export const readOutline = async (
  pdf: OutlinedPdf,
  references: ReadonlyArray<PdfReference | null>
): Promise<ReadonlyArray<Mark>> => {
  const pages = new Map(references.flatMap((reference, page) => (reference === null ? [] : [[keyOf(reference), page]])))
  const marks: Array<Mark> = []
  for (const { dest, level, title } of flattened((await pdf.getOutline()) ?? [])) {
    const place = typeof dest === "string" ? await pdf.getDestination(dest) : dest
    const [target] = Array.isArray(place) ? (place as ReadonlyArray<unknown>) : []
    const page = isReference(target) ? pages.get(keyOf(target)) : Number.isInteger(target) ? target : undefined
    if (typeof page === "number" && page < references.length) marks.push({ level, title, page })
  }
  return marks
}

/** Reduces a text to letters and digits, because spaces and marks differ between a bookmark and its line. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** The limits of a title: the number of its lines, the UTF-16 units of each line, and the words of its number. */
const MOST = { lines: 3, length: 300, words: 2 } as const

/** Returns a line without its first words, which may be the number of a title. */
const afterWords = (text: string, words: number): string => text.trim().split(/\s+/u).slice(words).join(" ")

/**
 * An index of the lines of a page by all titles that can begin with each line. A title is the text of a line, alone or
 * joined with the next lines, with or without its number.
 */
class PageTitles {
  readonly #whole = new Map<string, PageLine>()
  readonly #unnumbered = new Map<string, PageLine>()

  constructor(lines: ReadonlyArray<PageLine>) {
    const texts = lines.map(({ text }) => (text.length > MOST.length ? "" : plain(text)))
    for (const [place, line] of lines.entries()) {
      if (line.isRow === true || texts[place] === "") continue
      const next = texts.slice(place + 1, place + MOST.lines)
      this.#add(this.#whole, texts[place]!, next, line)
      for (let words = 1; words <= MOST.words; words++) {
        this.#add(this.#unnumbered, plain(afterWords(line.text, words)), next, line)
      }
    }
  }

  find(title: string): PageLine | undefined {
    const wanted = plain(title)
    if (wanted === "") return undefined
    return this.#whole.get(wanted) ?? this.#unnumbered.get(wanted) ?? this.#whole.get(plain(afterWords(title, 1)))
  }

  /**
   * If the same words occur several times, the line with the largest letters is the title; others may be in the page
   * header.
   */
  #add(titles: Map<string, PageLine>, first: string, next: ReadonlyArray<string>, line: PageLine): void {
    let title = first
    for (const text of ["", ...next]) {
      title += text
      if ((titles.get(title)?.height ?? 0) < line.height) titles.set(title, line)
    }
  }
}

/**
 * Returns the heading levels of the lines that the outline names; undefined if too few bookmarks are found on their
 * pages.
 */
export const outlineLevels = (
  marks: ReadonlyArray<Mark>,
  pages: ReadonlyArray<ReadonlyArray<PageLine>>
): LevelOf | undefined => {
  const levels = new Map<PageLine, number>()
  const onPages = Map.groupBy(marks, ({ page }) => page)
  for (const [page, some] of onPages) {
    const titles = new PageTitles(pages[page] ?? [])
    for (const { level, title } of some) {
      const line = titles.find(title)
      if (line !== undefined && !levels.has(line)) levels.set(line, level)
    }
  }
  const isFound = levels.size >= LEAST_MARKS && levels.size >= LEAST_FOUND * marks.length
  return isFound ? (line) => levels.get(line) : undefined
}
