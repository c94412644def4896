import type { Transaction, UsageReport } from "@parley/client"
import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import { parley } from "./parley.ts"

/** Formats the UTC day of a time, as in the server's interface. */
const dayText = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

const DAY_MS = 86_400_000

/** The usage of the last `days` days, including today. */
export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ["usage", days],
    queryFn: ({ signal }) => {
      const today = Date.now()
      return parley.usage({ from: dayText(today - (days - 1) * DAY_MS), to: dayText(today) }, { signal })
    },
    placeholderData: keepPreviousData
  })

/** Every day from the first to the last, both included. */
export const daysOf = ({ from, to }: Pick<UsageReport, "from" | "to">): ReadonlyArray<string> => {
  const first = Date.parse(from)
  const length = Math.max(0, Math.round((Date.parse(to) - first) / DAY_MS) + 1)
  return Array.from({ length }, (_, index) => dayText(first + index * DAY_MS))
}

export const TRANSACTION_TYPES: ReadonlyArray<Transaction["transaction_type"]> = [
  "usage",
  "reset",
  "topup",
  "grant",
  "refund",
  "adjustment"
]

/** The number of rows on a page of the history. */
export const HISTORY_ROWS = 20
/** The largest number of rows that the server returns at once. */
const MOST_ROWS = 200

export type HistoryFilter = Transaction["transaction_type"] | "all"

const readHistory = (filter: HistoryFilter, limit: number, offset: number, signal?: AbortSignal) =>
  parley.billing.history({ limit, offset, type: filter === "all" ? undefined : filter }, { signal })

/** A page of the history, newest first. The first page has the number 0. */
export const historyQuery = (filter: HistoryFilter, page: number) =>
  queryOptions({
    queryKey: ["credit-history", filter, page],
    queryFn: ({ signal }) => readHistory(filter, HISTORY_ROWS, page * HISTORY_ROWS, signal),
    placeholderData: keepPreviousData
  })

/** Reads the whole history, newest first. New rows shift the others meanwhile, but no row is returned twice. */
export const readWholeHistory = async (filter: HistoryFilter): Promise<ReadonlyArray<Transaction>> => {
  const found = new Map<string, Transaction>()
  for (let offset = 0; ;) {
    const { transactions, total } = await readHistory(filter, MOST_ROWS, offset)
    for (const transaction of transactions) found.set(transaction.id, transaction)
    offset += transactions.length
    if (transactions.length === 0 || offset >= total) return [...found.values()]
  }
}
