import type { UserId } from "../../identity/UserId.ts"
import type { ReceiptLine, WorkReceipt } from "../Transaction.ts"
import type { Spender } from "../Spender.ts"

/** The name of metered work. */
export interface WorkName {
  readonly userId: UserId
  /**
   * The business event that the work answers, for example `order-7`: 1 to 200 letters, digits, dots, dashes, colons,
   * `_` or `~`. The same key of the same person is paid once.
   */
  readonly key: string
}

/** The maximum price of metered work, and its payer. */
export interface WorkBound extends WorkName {
  /** The most it may cost: 1 or more whole credits. They are held while it runs. */
  readonly amount: number
  /** The least useful amount, if the balance has less than `amount`; `amount` unless given. */
  readonly minimumAmount?: number | undefined
  /** The source that spends the credits, for histories and caps: `meter:<name>`, `bot:<id>`, `key:<id>` or `chat`. */
  readonly source: Spender
  /** The most that all sources of this kind may take of the account on one UTC day, open holds counted. */
  readonly dailyCap?: number | undefined
}

/**
 * `A` if it is JSON: null, booleans, numbers, texts, arrays, and objects of these without methods. `never` in the place
 * of anything else, for example a `Date`, so that the compiler refuses it.
 */
export type JsonOf<A> = A extends null | undefined | boolean | number | string
  ? A
  : A extends (...given: never) => unknown
    ? never
    : A extends object
      ? { readonly [Name in keyof A]: JsonOf<A[Name]> }
      : never

/** The maximum price of work that is done elsewhere, and the lifetime of its hold. */
export interface WorkReservation extends WorkBound {
  /** The lifetime of the hold without a renewal: 1 to 86,400 whole seconds; that of other holds unless given. */
  readonly lifetimeSeconds?: number | undefined
}

/** The hold to renew, and its lifetime from now on: the seconds as in `WorkReservation`. */
export interface WorkRenewal extends WorkName {
  readonly lifetimeSeconds?: number | undefined
}

/** The reported work. */
export interface WorkSettlement extends WorkName {
  /**
   * The most that all sources of the hold's kind may take on one UTC day. It bounds a report that comes after the hold
   * has ended; a hold was bounded when it was reserved.
   */
  readonly dailyCap?: number | undefined
}

/** The result of metered work, and its usage. */
export interface WorkReport<A> {
  /** Its cost is `ceil(sum(quantity * unitPrice))` credits, and never more than was held. */
  readonly lines: ReadonlyArray<ReceiptLine>
  /**
   * A JSON value of at most 16,384 characters as text. The same key gets an equal value again. An `undefined` property
   * is left out; anything else that JSON does not have, for example a `Date`, is refused with `InvalidWork`.
   */
  readonly result?: (A & JsonOf<A>) | undefined
}

/** Metered work that is paid. */
export interface MeteredWork<A> {
  /** The result of the work; for a key that was paid before, the result of that time. */
  readonly result: A | undefined
  readonly receipt: WorkReceipt
  /** Whole credits of the lines' sum above the held amount: they were not charged. 0 if the hold covered the work. */
  readonly uncovered: number
  /** True if the key was paid before, and nothing was done now. */
  readonly replayed: boolean
}

/** Credits that are held for work that is done elsewhere. */
export interface WorkHold extends WorkName {
  /** Whole credits: the requested amount, or less if that was still useful. */
  readonly held: number
  /** Unix milliseconds, by the ledger's clock: without a renewal until then a sweeper ends the hold. */
  readonly expiresAt: number
  /** `settled` if the work was paid before; then nothing is held. */
  readonly state: "open" | "settled"
  /** True if the key was reserved before, and that hold is open or was paid. */
  readonly replayed: boolean
}

/** The end of metered work. A second settle or release returns the first one's answer. */
export type WorkPayment =
  | {
      readonly _tag: "Settled"
      readonly receipt: WorkReceipt
      readonly transactionId: string
      /** Whole credits of the lines' sum above the held amount: they were not charged. 0 if the hold covered the work. */
      readonly uncovered: number
    }
  | { readonly _tag: "Released" }
