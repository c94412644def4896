import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** UTC days, both included, counted from 1970-01-01. */
export interface DaysInput {
  readonly firstDay: number
  readonly lastDay: number
}

/** The charges of one model on one day, over all accounts. */
export interface DayCharges {
  /** The UTC day, as `2026-11-30`. */
  readonly day: string
  /** Empty for metered work. */
  readonly model: string
  /** The number of charged replies, or of charged pieces of work. */
  readonly replies: number
  /** Their cost in whole credits. */
  readonly credits: number
}

/** The payments of one currency on one day that were applied, as they were paid: refunds are not taken off. */
export interface DayRevenue {
  /** The UTC day of the payments, as `2026-11-30`. */
  readonly day: string
  readonly currency: string
  readonly payments: number
  /** In the smallest unit of the currency. */
  readonly amount: number
}

/** Sums the charges and payments of all people, in time that depends on the number of those in the given days. */
export class MoneyRecords extends Context.Service<
  MoneyRecords,
  {
    /** The settled charges, by day and model, in that order. */
    charges(input: DaysInput): Effect.Effect<ReadonlyArray<DayCharges>, StorageFailed>
    /** The applied payments of people who are not erased, by day and currency, in that order. */
    revenue(input: DaysInput): Effect.Effect<ReadonlyArray<DayRevenue>, StorageFailed>
  }
>()("@parley/core/users/MoneyRecords") {}
