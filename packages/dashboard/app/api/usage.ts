import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { Receipt, WorkReceipt } from "./billing.ts"
import { read } from "./request.ts"

/** The usage of one source and one model on one day. */
export interface UsageRow {
  /** A UTC day, as `2026-11-30`. */
  readonly day: string
  /** `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. */
  readonly source: string
  /** Empty for metered work. */
  readonly model: string
  readonly replies: number
  readonly credits: number
  readonly input_tokens: number
  readonly output_tokens: number
}

export interface Usage {
  readonly usage: ReadonlyArray<UsageRow>
  readonly from: string
  readonly to: string
}

/** A UTC day, as the server names it. */
const dayText = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

const DAY_MS = 86_400_000

/** The usage of the last days, today included. */
export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ["usage", days],
    queryFn: ({ signal }) => {
      const today = Date.now()
      const query = new URLSearchParams({ from: dayText(today - (days - 1) * DAY_MS), to: dayText(today) })
      return read<Usage>(`/api/billing/usage?${query}`, signal)
    },
    placeholderData: keepPreviousData
  })

/** Every day from the first to the last, both included. */
export const daysOf = ({ from, to }: Pick<Usage, "from" | "to">): ReadonlyArray<string> => {
  const first = Date.parse(from)
  const length = Math.max(0, Math.round((Date.parse(to) - first) / DAY_MS) + 1)
  return Array.from({ length }, (_, index) => dayText(first + index * DAY_MS))
}

export const TRANSACTION_TYPES = ["usage", "reset", "topup", "grant", "refund", "adjustment"] as const
export type TransactionType = (typeof TRANSACTION_TYPES)[number]

/** One change of the balance, in whole credits. */
export interface Transaction {
  readonly id: string
  readonly transaction_type: TransactionType
  readonly amount: number
  readonly allowance_amount: number
  readonly topup_amount: number
  readonly balance_after: number
  readonly model: string | null
  readonly source: string | null
  readonly reference: string
  readonly created_at: string
  readonly receipt: Receipt | WorkReceipt | null
}

interface HistoryPage {
  readonly transactions: ReadonlyArray<Transaction>
  readonly total: number
  readonly limit: number
  readonly offset: number
}

/** Rows of a page of the history. */
export const HISTORY_ROWS = 20
/** The most rows that the server returns at once. */
const MOST_ROWS = 200

export type HistoryFilter = TransactionType | "all"

const readHistory = (filter: HistoryFilter, limit: number, offset: number, signal?: AbortSignal) => {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) })
  if (filter !== "all") query.set("type", filter)
  return read<HistoryPage>(`/api/billing/credit-history?${query}`, signal)
}

/** A page of the history, newest first; pages are counted from 0. */
export const historyQuery = (filter: HistoryFilter, page: number) =>
  queryOptions({
    queryKey: ["credit-history", filter, page],
    queryFn: ({ signal }) => readHistory(filter, HISTORY_ROWS, page * HISTORY_ROWS, signal),
    placeholderData: keepPreviousData
  })

/** Reads the whole history, newest first. New rows shift the others; no row is returned twice. */
export const readWholeHistory = async (filter: HistoryFilter): Promise<ReadonlyArray<Transaction>> => {
  const found = new Map<string, Transaction>()
  for (let offset = 0; ;) {
    const { transactions, total } = await readHistory(filter, MOST_ROWS, offset)
    for (const transaction of transactions) found.set(transaction.id, transaction)
    offset += transactions.length
    if (transactions.length === 0 || offset >= total) return [...found.values()]
  }
}
