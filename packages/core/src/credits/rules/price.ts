import type { Model, ModelPrice, TokenRates } from "../../models/Model.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import type { Usage } from "../../models/Usage.ts"
import type { ReceiptLine } from "../Transaction.ts"

/** The prices of a model, without its other properties. */
export const modelPrice = (model: Model): ModelPrice => ({
  creditsPer1kInput: model.creditsPer1kInput,
  creditsPer1kCachedInput: model.creditsPer1kCachedInput,
  creditsPer1kCacheWrite: model.creditsPer1kCacheWrite,
  creditsPer1kOutput: model.creditsPer1kOutput,
  minimumCredits: model.minimumCredits,
  ...(model.longContext && { longContext: model.longContext })
})

/** Products are summed exactly, in millionths. A number with more than six decimals is rounded up to six. */
const MILLIONTHS = 1_000_000
const millionths = (figure: number): bigint => {
  const nearest = Math.round(figure * MILLIONTHS)
  return BigInt(nearest / MILLIONTHS < figure ? nearest + 1 : nearest)
}

/** The prices that apply to a request with this number of input tokens, cached tokens included. */
const ratesFor = (price: ModelPrice, inputTokens: number): TokenRates => {
  const { longContext } = price
  return longContext !== undefined && inputTokens > longContext.aboveInputTokens ? longContext : price
}

/**
 * Credits for one reply: `max(minimum, ceil((freshInput*in + cacheRead*cachedIn + cacheWrite*write + output*out) /
 * 1000))`, with prices in credits per 1,000 tokens, summed exactly and rounded up once. If the input is longer than the
 * model's threshold for long contexts, the prices for long contexts apply to the whole request, as vendors charge it.
 */
export const priceOf = (usage: Usage, price: ModelPrice): number => {
  const rates = ratesFor(price, usage.freshInput + usage.cacheRead + usage.cacheWrite)
  const sum =
    BigInt(usage.freshInput) * millionths(rates.creditsPer1kInput) +
    BigInt(usage.cacheRead) * millionths(rates.creditsPer1kCachedInput) +
    BigInt(usage.cacheWrite) * millionths(rates.creditsPer1kCacheWrite) +
    BigInt(usage.output) * millionths(rates.creditsPer1kOutput)
  const perCredit = BigInt(1000 * MILLIONTHS)
  const credits = (sum + perCredit - 1n) / perCredit
  return Math.max(price.minimumCredits, credits > BigInt(MAX_CREDITS) ? MAX_CREDITS : Number(credits))
}

/**
 * The maximum price of a reply with at most `inputTokens` input tokens and `outputTokens` output tokens, for any part
 * of the input that is read from or written to a cache.
 */
export const maxPriceOf = (inputTokens: number, outputTokens: number, price: ModelPrice): number => {
  const rates = ratesFor(price, inputTokens)
  const isWriteDearer = rates.creditsPer1kCacheWrite > rates.creditsPer1kInput
  const [freshInput, cacheWrite] = isWriteDearer ? [0, inputTokens] : [inputTokens, 0]
  return priceOf({ freshInput, cacheRead: 0, cacheWrite, output: outputTokens }, price)
}

/**
 * The maximum number of output tokens whose price is within `credits`; at most `ceiling`, and zero if not even one
 * token fits. `cost` returns the price of a reply for a number of output tokens, and must not decrease with that
 * number.
 */
export const outputTokensWithin = (credits: number, cost: (output: number) => number, ceiling: number): number => {
  if (cost(0) > credits) return 0
  if (cost(ceiling) <= credits) return ceiling
  let fits = 0
  let tooMany = ceiling
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (cost(middle) <= credits) fits = middle
    else tooMany = middle
  }
  return fits
}

const MAX_LINES = 50
const MAX_LABEL = 200
/**
 * The maximum quantity and unit price: far above any real value, and products of two of them are still summed exactly.
 */
const MAX_FIGURE = 1e12

const PER_CREDIT = BigInt(MILLIONTHS) * BigInt(MILLIONTHS)

/** Credits for work: `ceil(sum(quantity * unitPrice))`, summed exactly and rounded up once. The lines must be valid. */
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

/** Returns the problem of a receipt's lines; undefined if they are valid. */
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
