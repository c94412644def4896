import { MAX_CREDITS } from "../maxCredits.ts"
import type { ReceiptLine } from "../Receipt.ts"

const MAX_LINES = 50
const MAX_LABEL = 200
/** Far more than anybody counts or asks; products of the two are summed exactly. */
const MAX_FIGURE = 1e12

/** Figures are summed exactly in millionths. One with more than six decimals is rounded up to one. */
const MILLIONTHS = 1_000_000
const millionths = (figure: number): bigint => {
  const nearest = Math.round(figure * MILLIONTHS)
  return BigInt(nearest / MILLIONTHS < figure ? nearest + 1 : nearest)
}

const PER_CREDIT = BigInt(MILLIONTHS) * BigInt(MILLIONTHS)

/** Credits for work: `ceil(sum(quantity * unitPrice))`, summed exactly and rounded up once. Of lines that are valid. */
export const workCost = (lines: ReadonlyArray<ReceiptLine>): number => {
  const sum = lines.reduce((total, line) => total + millionths(line.quantity) * millionths(line.unitPrice), 0n)
  const credits = (sum + PER_CREDIT - 1n) / PER_CREDIT
  return credits > BigInt(MAX_CREDITS) ? MAX_CREDITS : Number(credits)
}

const isFigure = (figure: unknown): boolean =>
  typeof figure === "number" && Number.isFinite(figure) && figure >= 0 && figure <= MAX_FIGURE
const isLabel = (label: unknown): boolean =>
  typeof label === "string" &&
  label.trim() !== "" &&
  label.length <= MAX_LABEL &&
  label.isWellFormed() &&
  !/\p{Cc}/u.test(label)

/** What is wrong with the lines of a receipt; undefined where nothing is. */
export const problemOfLines = (lines: ReadonlyArray<ReceiptLine>): string | undefined => {
  if (lines.length > MAX_LINES) return `a receipt has at most ${MAX_LINES} lines`
  if (!lines.every(({ label }) => isLabel(label))) {
    return `a line's label is text of 1 to ${MAX_LABEL} characters without control characters`
  }
  if (!lines.every(({ quantity, unitPrice }) => isFigure(quantity) && isFigure(unitPrice))) {
    return "a line's quantity and its price for one unit are numbers from 0 to a million millions"
  }
  return undefined
}
