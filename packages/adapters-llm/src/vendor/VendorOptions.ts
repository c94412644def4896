import type { ReplyLimits } from "@parley/core/adapter"
import type { ApiKey } from "./ApiKey.ts"
import type { RetryPolicy } from "./retryBeforeFirst.ts"

/** The limits of the connections to a vendor. */
export interface ConnectionLimits {
  /** The most connections at the same time; each running reply has one. */
  readonly open: number
  /** The most replies that wait for a connection; further ones fail at once. */
  readonly waiting: number
}

export const defaultConnectionLimits: ConnectionLimits = { open: 1_024, waiting: 4_096 }

/** Options of a vendor's chat models. */
export interface VendorOptions {
  /**
   * The vendor's name in messages to people, in receipts and in metrics; by default the vendor whose protocol is used.
   */
  readonly name?: string | undefined
  readonly apiKey: ApiKey
  /** The address of a server with a compatible protocol; the vendor's own by default. */
  readonly baseUrl?: string | undefined
  readonly limits?: Partial<ReplyLimits>
  readonly retry?: Partial<RetryPolicy>
  readonly connections?: Partial<ConnectionLimits>
}
