import type { PicturedPage } from "./pagePictures.ts"

/** The numbers of pdf.js' drawing operators (`OPS` in pdf.js). */
export interface Operators {
  readonly save: number
  readonly restore: number
  readonly transform: number
  readonly paintFormXObjectBegin: number
  readonly paintFormXObjectEnd: number
  readonly paintImageXObject: number
  readonly paintInlineImageXObject: number
  readonly paintImageMaskXObject: number
  readonly showText: number
}

/** A summary of what a page draws besides its readable text. */
export interface PageCover {
  /** The share of the page that pictures cover, from 0; overlapping pictures count twice. */
  readonly pictures: number
  /** True if the page shows text, whether it is readable or not. */
  readonly showsText: boolean
}

/** A transformation `[a, b, c, d, e, f]` (PDF 1.7, 8.3.3), reduced to the first four numbers, which determine areas. */
type Matrix = readonly [number, number, number, number]

const WHOLE: Matrix = [1, 0, 0, 1]

const multiplied = ([a, b, c, d]: Matrix, [e, f, g, h]: Matrix): Matrix => [
  e * a + f * c,
  e * b + f * d,
  g * a + h * c,
  g * b + h * d
]

const matrixOf = (values: unknown): Matrix => {
  // pdf.js passes the matrix as an array, as a typed array, or not at all.
  const [a = 1, b = 0, c = 0, d = 1] = Array.from((values ?? []) as ArrayLike<number>)
  return [a, b, c, d]
}

/** The deepest nesting of form objects that is followed. */
const DEEPEST = 1_000

/** Measures what a page draws. `view` is the visible rectangle of the page: left, bottom, right, top. */
export const pageCover = async (
  page: PicturedPage & { readonly view: ReadonlyArray<number> },
  operators: Operators
): Promise<PageCover> => {
  const { argsArray, fnArray } = await page.getOperatorList()
  page.cleanup()
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view
  const area = Math.max(1, Math.abs((right - left) * (top - bottom)))
  const kept: Array<Matrix> = []
  let current = WHOLE
  let pictures = 0
  let showsText = false
  for (const [place, operator] of fnArray.entries()) {
    const given = argsArray[place]
    if (operator === operators.save || operator === operators.paintFormXObjectBegin) {
      if (kept.length < DEEPEST) kept.push(current)
      if (operator !== operators.save) current = multiplied(current, matrixOf((given as ReadonlyArray<unknown>)[0]))
    } else if (operator === operators.restore || operator === operators.paintFormXObjectEnd) {
      current = kept.pop() ?? WHOLE
    } else if (operator === operators.transform) {
      current = multiplied(current, matrixOf(given))
    } else if (isPicture(operator, operators)) {
      const [a, b, c, d] = current
      pictures += Math.abs(a * d - b * c) / area
    }
    showsText ||= operator === operators.showText && showsGlyph((given as ReadonlyArray<unknown>)[0])
  }
  return { pictures, showsText }
}

/** True if a shown text has a glyph that is no space; the numbers in the list are offsets between glyphs. */
const showsGlyph = (glyphs: unknown): boolean =>
  Array.isArray(glyphs) &&
  glyphs.some((glyph: { readonly isSpace?: boolean; readonly unicode?: string } | number | null) => {
    if (typeof glyph !== "object" || glyph === null) return false
    return glyph.isSpace !== true && (glyph.unicode ?? "?").trim() !== ""
  })

const isPicture = (operator: number, operators: Operators): boolean =>
  operator === operators.paintImageXObject ||
  operator === operators.paintInlineImageXObject ||
  operator === operators.paintImageMaskXObject
