import type { UserId } from "../../identity/UserId.ts"
import type { ReceiptLine, WorkReceipt } from "../Transaction.ts"
import type { Spender } from "../Spender.ts"

/** The name of metered work. */
export interface WorkName {
  readonly userId: UserId
  /**
   * The business event for which the work is done, for example `order-7`: 1 to 200 letters, digits, dots, dashes,
   * colons, `_` or `~`. The same key of the same person is paid once.
   */
  readonly key: string
}

/** The maximum price of metered work, and its payer. */
export interface WorkBound extends WorkName {
  /** The maximum cost of the work: 1 or more whole credits. They are held while the work runs. */
  readonly amount: number
  /** The smallest useful amount to hold if the balance contains less than `amount`; `amount` unless given. */
  readonly minimumAmount?: number | undefined
  /** The spender of the credits, for histories and daily caps: `meter:<name>`, `bot:<id>`, `key:<id>` or `chat`. */
  readonly source: Spender
  /** The maximum that all spenders of this kind may spend of the account on one UTC day, open holds included. */
  readonly dailyCap?: number | undefined
}

/**
 * `A` if it is JSON: null, booleans, numbers, texts, arrays, and objects of these without methods. Any other type, for
 * example `Date`, becomes `never`, so that the compiler refuses it.
 */
export type JsonOf<A> = A extends null | undefined | boolean | number | string
  ? A
  : A extends (...given: never) => unknown
    ? never
    : A extends object
      ? { readonly [Name in keyof A]: JsonOf<A[Name]> }
      : never

/** The maximum price of work that is done outside of Parley, and the lifetime of its hold. */
export interface WorkReservation extends WorkBound {
  /**
   * The time until the hold expires without a renewal: 1 to 86,400 whole seconds; the lifetime of other holds unless
   * given.
   */
  readonly lifetimeSeconds?: number | undefined
}

/** Names a hold to renew, and its lifetime from now on: seconds as in `WorkReservation`. */
export interface WorkRenewal extends WorkName {
  readonly lifetimeSeconds?: number | undefined
}

/** Names work whose report is settled. */
export interface WorkSettlement extends WorkName {
  /**
   * The maximum that all spenders of the hold's kind may spend on one UTC day. Applies only to a report that comes
   * after the end of the hold: the reservation already applied a daily cap to the hold.
   */
  readonly dailyCap?: number | undefined
}

/** The result of metered work, and its usage. */
export interface WorkReport<A> {
  /**
   * The used quantities and their prices. The cost is `ceil(sum(quantity * unitPrice))` credits, and never more than
   * was held.
   */
  readonly lines: ReadonlyArray<ReceiptLine>
  /**
   * A JSON value of at most 16,384 characters as text. Later calls with the same key get an equal value. An `undefined`
   * property is left out; any other value that JSON cannot represent, for example a `Date`, is refused with
   * `InvalidWork`.
   */
  readonly result?: (A & JsonOf<A>) | undefined
}

/** Metered work that is paid. */
export interface MeteredWork<A> {
  /** The result of the work; if the key was paid before, the result that was stored then. */
  readonly result: A | undefined
  readonly receipt: WorkReceipt
  /**
   * Whole credits by which the sum of the lines exceeds the held amount: they were not charged. 0 if the hold covered
   * the work.
   */
  readonly uncovered: number
  /** True if the key was paid before: the work was not done again. */
  readonly replayed: boolean
}

/** Credits that are held for work that is done outside of Parley. */
export interface WorkHold extends WorkName {
  /** Whole credits: the requested amount, or a smaller amount that is still useful. */
  readonly held: number
  /** Unix milliseconds, by the ledger's clock: a sweeper ends the hold then, unless it is renewed. */
  readonly expiresAt: number
  /** `settled` if the work was paid before; then no credits are held. */
  readonly state: "open" | "settled"
  /** True if the key was reserved before, and that hold is open or was paid; then no new hold was opened. */
  readonly replayed: boolean
}

/** The end of metered work. A second settle or release returns the first one's answer. */
export type WorkPayment =
  | {
      readonly _tag: "Settled"
      readonly receipt: WorkReceipt
      readonly transactionId: string
      /**
       * Whole credits by which the sum of the lines exceeds the held amount: they were not charged. 0 if the hold
       * covered the work.
       */
      readonly uncovered: number
    }
  | { readonly _tag: "Released" }
