import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** A range of UTC days, both ends included, counted from 1970-01-01. */
export interface DaysInput {
  readonly firstDay: number
  readonly lastDay: number
}

/** The charges of one model on one day, over all accounts. */
export interface DayCharges {
  /** The UTC day, as `2026-11-30`. */
  readonly day: string
  /** The name of the model; empty for metered work. */
  readonly model: string
  /** The number of charged replies, or of charged pieces of work. */
  readonly replies: number
  /** The cost of these in whole credits. */
  readonly credits: number
}

/** The applied payments of one currency on one day. Refunds are not subtracted. */
export interface DayRevenue {
  /** The UTC day of the payments, as `2026-11-30`. */
  readonly day: string
  readonly currency: string
  readonly payments: number
  /** The sum in the smallest unit of the currency. */
  readonly amount: number
}

/**
 * Sums the charges and payments of all people. The time of a sum depends on the number of charges or payments in the
 * given days.
 */
export class MoneyRecords extends Context.Service<
  MoneyRecords,
  {
    /** The settled charges, by day and model, in that order. */
    charges(input: DaysInput): Effect.Effect<ReadonlyArray<DayCharges>, StorageFailed>
    /** The applied payments of people who are not erased, by day and currency, in that order. */
    revenue(input: DaysInput): Effect.Effect<ReadonlyArray<DayRevenue>, StorageFailed>
  }
>()("@parley/core/users/MoneyRecords") {}
