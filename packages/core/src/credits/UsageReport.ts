import type { UserId } from "../identity/UserId.ts"
import type { Usage } from "../models/Usage.ts"
import { isOfReply, type Transaction } from "./Transaction.ts"
import { type Spender, dayOf, startOfDay } from "./Spender.ts"

/** The usage of one model by one spender on one day. */
export interface UsageRow {
  /** The UTC day, as `2026-11-30`. */
  readonly day: string
  readonly source: Spender
  /** The name of the model; empty for metered work. */
  readonly model: string
  /** The number of charged replies, or of charged pieces of work. */
  readonly replies: number
  /** Their cost in whole credits. */
  readonly credits: number
  /** Input tokens as in the receipts, cached input included. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Selects the usage of an account on a range of UTC days, both ends included, counted from 1970-01-01. */
export interface UsageInput {
  readonly userId: UserId
  readonly firstDay: number
  readonly lastDay: number
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Reads a day as the number of days since 1970-01-01; undefined if the text is not a day. */
export const parseDay = (text: string): number | undefined => {
  const time = DAY.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  return Number.isNaN(time) || dayText(dayOf(time)) !== text ? undefined : dayOf(time)
}

/** Writes a day as text, such as `2026-11-30`. */
export const dayText = (day: number): string => new Date(startOfDay(day)).toISOString().slice(0, 10)

const byPlace = (a: UsageRow, b: UsageRow): number =>
  compare(a.day, b.day) || compare(a.source, b.source) || compare(a.model, b.model)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const NO_TOKENS: Usage = { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

/** Sums the usage of transactions by day, spender and model, in that order. */
export const usageOf = (
  transactions: Iterable<Transaction>,
  { firstDay, lastDay }: Pick<UsageInput, "firstDay" | "lastDay">
): ReadonlyArray<UsageRow> => {
  const rows = new Map<string, UsageRow>()
  for (const { amount, createdAt, model = "", receipt, source } of transactions) {
    const day = dayOf(createdAt)
    if (source === undefined || receipt === undefined || day < firstDay || day > lastDay) continue
    const { freshInput, cacheRead, cacheWrite, output } = isOfReply(receipt) ? receipt.usage : NO_TOKENS
    const key = JSON.stringify([day, source, model])
    const before = rows.get(key)
    rows.set(key, {
      day: dayText(day),
      source,
      model,
      replies: (before?.replies ?? 0) + 1,
      credits: (before?.credits ?? 0) - amount,
      inputTokens: (before?.inputTokens ?? 0) + freshInput + cacheRead + cacheWrite,
      outputTokens: (before?.outputTokens ?? 0) + output
    })
  }
  return [...rows.values()].toSorted(byPlace)
}
