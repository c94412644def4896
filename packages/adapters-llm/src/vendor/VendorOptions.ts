import type { ReplyLimits } from "@parley/core/adapter"
import type { ApiKey } from "./ApiKey.ts"
import type { RetryPolicy } from "./retryBeforeFirst.ts"

/** Bounds of the connections to a vendor. */
export interface ConnectionLimits {
  /** At once: each reply under way has one. */
  readonly open: number
  /** Replies that wait for a connection; further ones fail at once. */
  readonly waiting: number
}

export const defaultConnectionLimits: ConnectionLimits = { open: 1_024, waiting: 4_096 }

/** Options of a vendor's models. */
export interface VendorOptions {
  /** The vendor's name for people, receipts and metrics; default: the vendor of the protocol. */
  readonly name?: string | undefined
  readonly apiKey: ApiKey
  /** A server with a compatible protocol; default: the vendor's own. */
  readonly baseUrl?: string | undefined
  readonly limits?: Partial<ReplyLimits>
  readonly retry?: Partial<RetryPolicy>
  readonly connections?: Partial<ConnectionLimits>
}
