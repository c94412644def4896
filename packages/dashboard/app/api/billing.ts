import { queryOptions } from "@tanstack/react-query"
import { read } from "./request.ts"

/** In whole credits. */
export interface Balance {
  readonly allowance: number
  readonly topup: number
  /** Set aside for replies that are being written, out of allowance and topup. */
  readonly held: number
  readonly debt: number
  /** Without held credits: the most that a new reply may cost. */
  readonly available: number
  readonly nextResetAt: string
}

/**
 * The credits that a person has. It changes with each charge and not with the holds of replies that are being written:
 * most of a hold comes back.
 */
export const creditsLeft = ({ allowance, topup }: Balance): number => allowance + topup

/** The receipt of a reply. */
export interface Receipt {
  readonly model: string
  readonly price: {
    readonly credits_per_1k_input: number
    readonly credits_per_1k_cached_input: number
    readonly credits_per_1k_cache_write: number
    readonly credits_per_1k_output: number
    readonly minimum_credits: number
    /** The rates for requests with more input tokens than this. */
    readonly long_context: {
      readonly above_input_tokens: number
      readonly credits_per_1k_input: number
      readonly credits_per_1k_cached_input: number
      readonly credits_per_1k_cache_write: number
      readonly credits_per_1k_output: number
    } | null
  }
  /** In tokens. */
  readonly usage: {
    readonly fresh_input: number
    readonly cache_read: number
    readonly cache_write: number
    readonly output: number
  }
  readonly held: number
  readonly charged: number
  /** The provider did not report usage, so Parley counted the tokens. */
  readonly estimated: boolean
  readonly ended: string
  readonly paid_from: { readonly allowance: number; readonly topup: number }
}

/** The receipt of metered work: the sum of its lines is the charge. */
export interface WorkReceipt extends Pick<Receipt, "held" | "charged" | "ended" | "paid_from"> {
  /** Credits that were charged for this work when its hold expired. */
  readonly charged_before: number
  readonly lines: ReadonlyArray<{
    readonly label: string
    readonly quantity: number
    /** Credits for one unit. */
    readonly unit_price: number
  }>
}

export const balanceQuery = queryOptions({
  queryKey: ["balance"],
  queryFn: ({ signal }) => read<Balance>("/api/billing/balance", signal)
})
