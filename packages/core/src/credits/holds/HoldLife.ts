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

export interface SweepInput {
  /** Holds at most. */
  readonly limit: number
}

/** What a sweep ended. */
export interface Swept {
  /** Holds whose reply had delivered something: charged for the input and the output last recorded. */
  readonly charged: number
  /** Holds whose reply had delivered nothing. */
  readonly released: number
  /** Credits charged. */
  readonly credits: number
  /** Accounts whose holds the storage refused to end, since their rows contradict each other. */
  readonly refused: number
}

export const NOTHING_SWEPT: Swept = { charged: 0, released: 0, credits: 0, refused: 0 }

/** Two sweeps as one. */
export const addSwept = (a: Swept, b: Swept): Swept => ({
  charged: a.charged + b.charged,
  released: a.released + b.released,
  credits: a.credits + b.credits,
  refused: a.refused + b.refused
})
