import type { ReplyLimits } from "@parley/core/adapter"
import type { Redacted } from "effect"
import type { RetryPolicy } from "./retryBeforeFirst.ts"

/** How many connections to a vendor there may be. */
export interface ConnectionLimits {
  /** At once: each reply under way has one. */
  readonly open: number
  /** Replies that wait for one of them; what comes beyond that fails at once. */
  readonly waiting: number
}

export const defaultConnectionLimits: ConnectionLimits = { open: 1_024, waiting: 4_096 }

/** What a vendor's models need to be asked. */
export interface VendorOptions {
  /** Who runs the models, for people, receipts and metrics; the vendor that the protocol is named after unless given. */
  readonly name?: string | undefined
  readonly apiKey: Redacted.Redacted<string>
  /** Another server that speaks the vendor's protocol; the vendor's own unless given. */
  readonly baseUrl?: string | undefined
  readonly limits?: Partial<ReplyLimits>
  readonly retry?: Partial<RetryPolicy>
  readonly connections?: Partial<ConnectionLimits>
}
