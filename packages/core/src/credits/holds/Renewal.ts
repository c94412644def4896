import type { UserId } from "../../identity/UserId.ts"
import type { ReceiptDraft } from "../Receipt.ts"

/** How far the reply of an open hold has come. */
export interface HoldProgress {
  readonly userId: UserId
  readonly key: string
  /** Output tokens delivered so far, zero or more. */
  readonly outputTokens: number
  /** What charges the reply if its process dies, where that is known better than when the credits were reserved. */
  readonly draft?: ReceiptDraft | undefined
}

export interface RenewInput {
  readonly holds: ReadonlyArray<HoldProgress>
  /** How long the holds live from now on without another renewal. */
  readonly ttlMs: number
}

/** What a renewal found. */
export interface Renewed {
  readonly renewed: number
  /** Holds of the call that are not open: they were ended, or never were. */
  readonly gone: ReadonlyArray<Pick<HoldProgress, "userId" | "key">>
}

export const NOTHING_RENEWED: Renewed = { renewed: 0, gone: [] }
