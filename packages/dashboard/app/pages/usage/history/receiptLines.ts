import type { Receipt } from "@parley/client"

/** One line of a receipt: a number of tokens at a rate. */
export interface ReceiptLine {
  readonly kind: "input" | "cacheRead" | "cacheWrite" | "output"
  readonly tokens: number
  /** The credits for 1,000 tokens. */
  readonly rate: number
  /** The unrounded credits: only the sum of all lines is rounded. */
  readonly credits: number
}

/**
 * The lines of a reply's price, without those for no tokens. If the input exceeds the threshold for long contexts, the
 * rates for long contexts apply to the whole request.
 */
export const receiptLines = ({ price, usage }: Receipt): ReadonlyArray<ReceiptLine> => {
  const long = price.long_context ?? null
  const input = usage.fresh_input + usage.cache_read + usage.cache_write
  const rates = long !== null && input > long.above_input_tokens ? long : price
  const line = (kind: ReceiptLine["kind"], tokens: number, rate: number): ReceiptLine => ({
    kind,
    tokens,
    rate,
    credits: (tokens * rate) / 1_000
  })
  const lines = [
    line("input", usage.fresh_input, rates.credits_per_1k_input),
    line("cacheRead", usage.cache_read, rates.credits_per_1k_cached_input),
    line("cacheWrite", usage.cache_write, rates.credits_per_1k_cache_write),
    line("output", usage.output, rates.credits_per_1k_output)
  ]
  return lines.filter(({ tokens }) => tokens > 0)
}
