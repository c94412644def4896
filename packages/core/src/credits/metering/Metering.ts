import type { UserId } from "../../identity/UserId.ts"
import type { ReceiptLine, WorkReceipt } from "../Receipt.ts"
import type { UsageSource } from "../UsageSource.ts"

/** Which metered work. */
export interface WorkName {
  readonly userId: UserId
  /**
   * The business event that the work answers, for example `order-7`: 1 to 200 letters, digits, dots, dashes, colons, `_`
   * or `~`. The same key of the same person is paid once.
   */
  readonly key: string
}

/** What metered work may cost, and what pays. */
export interface WorkBound extends WorkName {
  /** The most it may cost: 1 or more whole credits. They are held while it runs. */
  readonly amount: number
  /** The least that is still useful, where the balance has less than `amount`; `amount` unless given. */
  readonly minimumAmount?: number | undefined
  /** What spends the credits, for histories and caps: `meter:<name>`, `bot:<id>`, `key:<id>` or `chat`. */
  readonly source: UsageSource
  /** The most that all sources of this kind may take of the account on one UTC day, open holds counted. */
  readonly dailyCap?: number | undefined
}

/** What metered work gave, and what it used. */
export interface WorkReport<A> {
  /** Its cost is `ceil(sum(quantity * unitPrice))` credits, and never more than was held. */
  readonly lines: ReadonlyArray<ReceiptLine>
  /** A JSON value of at most 16,384 characters as text, which is given again for the same key; none unless given. */
  readonly result?: A | undefined
}

/** Metered work that is paid. */
export interface MeteredWork<A> {
  /** What the work gave; for a key that was paid before, what it gave then. */
  readonly result: A | undefined
  readonly receipt: WorkReceipt
  /** True where the key was paid before, and nothing was done now. */
  readonly replayed: boolean
}

/** Credits set aside for work that somebody meters by hand. */
export interface WorkHold extends WorkName {
  /** Whole credits: what was asked for, or less where that was still useful. */
  readonly held: number
  /** Unix milliseconds, by the ledger's clock: without a renewal until then a sweeper ends the hold. */
  readonly expiresAt: number
  /** Whether the hold is open, or how it ended. */
  readonly state: "open" | "settled" | "released"
  /** True where the key was reserved before. */
  readonly replayed: boolean
}

/** How metered work ended. A second settle or release gets the first one's answer. */
export type WorkPayment =
  | { readonly _tag: "Settled"; readonly receipt: WorkReceipt; readonly transactionId: string }
  | { readonly _tag: "Released" }
