import type { Transaction } from "@parley/client"

const COLUMNS = [
  "time",
  "type",
  "amount",
  "balance_after",
  "from_monthly_credits",
  "from_bought_credits",
  "model",
  "source",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "estimated",
  "reference",
  "rewrite_credits"
] as const

type Row = Readonly<Record<(typeof COLUMNS)[number], string | number | boolean | null>>

/**
 * The characters with which spreadsheets begin a formula, also in full width; some spreadsheets skip a tab or a line
 * end first. An apostrophe in front prevents the formula.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const field = (value: Row[keyof Row]): string => {
  if (value === null) return ""
  if (typeof value !== "string") return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const rowOf = (transaction: Transaction): Row => {
  const { receipt } = transaction
  const reply = receipt !== null && "usage" in receipt ? receipt : undefined
  const usage = reply?.usage
  return {
    time: transaction.created_at,
    type: transaction.transaction_type,
    amount: transaction.amount,
    balance_after: transaction.balance_after,
    from_monthly_credits: transaction.allowance_amount,
    from_bought_credits: transaction.topup_amount,
    model: transaction.model,
    source: transaction.source,
    input_tokens: usage === undefined ? null : usage.fresh_input + usage.cache_write,
    cached_input_tokens: usage?.cache_read ?? null,
    output_tokens: usage?.output ?? null,
    estimated: reply?.estimated ?? null,
    reference: transaction.reference,
    rewrite_credits: reply?.rewrite?.credits ?? null
  }
}

/**
 * Converts transactions to comma-separated values (RFC 4180) with a line of column names. A byte order mark shows
 * spreadsheets that the text is UTF-8. The credits of rewritten questions have a column only if there are any.
 */
export const historyCsv = (transactions: ReadonlyArray<Transaction>): string => {
  const rows = transactions.map(rowOf)
  const isRewritten = rows.some(({ rewrite_credits: credits }) => credits !== null)
  const columns = COLUMNS.filter((column) => column !== "rewrite_credits" || isRewritten)
  const lines = rows.map((row) => columns.map((column) => field(row[column])).join(","))
  return `\ufeff${[columns.join(","), ...lines].join("\r\n")}\r\n`
}
