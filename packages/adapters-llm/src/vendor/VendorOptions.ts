import type { ReplyLimits } from "@parley/core"
import type { Redacted } from "effect"
import type { RetryPolicy } from "./retryBeforeFirst.ts"

/** What a vendor's models need to be asked. */
export interface VendorOptions {
  readonly apiKey: Redacted.Redacted<string>
  /** Another server that speaks the vendor's protocol; the vendor's own unless given. */
  readonly baseUrl?: string | undefined
  readonly limits?: Partial<ReplyLimits>
  readonly retry?: Partial<RetryPolicy>
}
