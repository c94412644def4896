import type { Hold, IdempotencyRecord, LedgerAccount, OpenHold, PurchaseState } from "@parley/core/adapter"
import type { Transaction } from "@parley/core"

/**
 * The rows of the ledger as JSON of their row types: `to_json(row)` reads one, `json_populate_recordset` writes it. A new
 * column is a line here and one in the table.
 */
export type JsonRow = Readonly<Record<string, unknown>>

type Columns<A> = { readonly [Name in keyof A]-?: string }

/** A column of a moment: JSON has it as ISO 8601, the core as Unix milliseconds. */
const moment = (column: string): string => `@${column}`

interface Mapping<A> {
  readonly toRow: (value: A) => Record<string, unknown>
  readonly fromRow: (row: JsonRow) => A
}

/** A value and its row, by the columns of its properties. Undefined corresponds to null. */
const mapping = <A extends object>(columns: Columns<A>): Mapping<A> => {
  const pairs = Object.entries<string>(columns).map(([name, column]) => {
    const isMoment = column.startsWith("@")
    return { name, column: isMoment ? column.slice(1) : column, isMoment }
  })
  return {
    toRow: (value) => {
      const row: Record<string, unknown> = {}
      for (const { column, isMoment, name } of pairs) {
        const one = (value as Record<string, unknown>)[name]
        row[column] = isMoment && one !== undefined ? new Date(one as number).toISOString() : one
      }
      return row
    },
    fromRow: (row) => {
      const value: Record<string, unknown> = {}
      for (const { column, isMoment, name } of pairs) {
        const one = row[column] ?? undefined
        value[name] = isMoment && one !== undefined ? Date.parse(one as string) : one
      }
      return value as A
    }
  }
}

/** The parts of an account that change with a period or a plan, and that the transaction which changed them repeats. */
type Terms = Pick<
  LedgerAccount,
  "tier" | "anchor" | "periodStart" | "nextResetAt" | "periodCredits" | "renewedBy" | "renewedUntil" | "pendingTier"
>

export const termsRow = mapping<Terms>({
  tier: "tier",
  anchor: moment("anchor"),
  periodStart: moment("period_start"),
  nextResetAt: moment("next_reset_at"),
  periodCredits: "period_credits",
  renewedBy: "renewed_by",
  renewedUntil: moment("renewed_until"),
  pendingTier: "pending_tier"
})

/** The parts of an account that every reply changes. */
export const balancesRow = mapping<Omit<LedgerAccount, keyof Terms>>({
  userId: "user_id",
  allowance: "allowance",
  topup: "topup",
  debt: "debt",
  heldAllowance: "held_allowance",
  heldTopup: "held_topup",
  openHolds: "open_holds",
  transactionCount: "transaction_count",
  version: "version",
  byType: "by_type",
  termsTransaction: "terms_transaction",
  holdsOpened: "holds_opened",
  holdsEnded: "holds_ended",
  usageDay: "usage_day",
  usageByKind: "usage_by_kind"
})

export const accountOfRow = (row: JsonRow): LedgerAccount => ({ ...balancesRow.fromRow(row), ...termsRow.fromRow(row) })

const transactionRow = mapping<Omit<Transaction, "id"> & { readonly number: number }>({
  number: "number",
  type: "type",
  amount: "amount",
  allowanceAmount: "allowance_amount",
  topupAmount: "topup_amount",
  balanceAfter: "balance_after",
  model: "model",
  source: "source",
  charge: "charge",
  reference: "reference",
  createdAt: moment("created_at"),
  receipt: "receipt"
})

export const rowOfTransaction = ({ id, ...rest }: Transaction) => transactionRow.toRow({ ...rest, number: Number(id) })

export const transactionOfRow = (row: JsonRow): Transaction => {
  const { number, ...rest } = transactionRow.fromRow(row)
  return { id: String(number), ...rest }
}

const openHoldRow = mapping<Omit<OpenHold, "hold"> & Omit<Hold, "from" | "amount"> & Hold["from"]>({
  userId: "user_id",
  key: "key",
  allowance: "allowance",
  topup: "topup",
  periodStart: moment("period_start"),
  expiresAt: moment("expires_at"),
  fingerprint: "fingerprint",
  source: "source",
  reservationId: "reservation_id",
  draft: "draft",
  outputTokens: "output_tokens"
})

export const rowOfOpenHold = ({ hold: { amount: _amount, from, ...hold }, ...open }: OpenHold) =>
  openHoldRow.toRow({ ...open, ...hold, ...from })

export const openHoldOfRow = (row: JsonRow): OpenHold => {
  const { allowance, expiresAt, key, periodStart, topup, userId, ...open } = openHoldRow.fromRow(row)
  const from = { allowance, topup }
  return { ...open, hold: { userId, key, amount: allowance + topup, from, periodStart, expiresAt } }
}

const rememberedHold = mapping<Hold["from"] & Pick<Hold, "periodStart" | "expiresAt">>({
  allowance: "hold_allowance",
  topup: "hold_topup",
  periodStart: moment("hold_period_start"),
  expiresAt: moment("hold_expires_at")
})

export const rowOfRecord = ({ at, fingerprint, hold, key, transaction }: IdempotencyRecord) => ({
  key,
  fingerprint,
  used_at: new Date(at).toISOString(),
  number: transaction && Number(transaction.id),
  ...(hold && rememberedHold.toRow({ ...hold, ...hold.from }))
})

/** A used key, with the row of the transaction that answers it. */
export const recordOfRow = (row: JsonRow, transaction: JsonRow | null): IdempotencyRecord => {
  const { allowance, expiresAt, periodStart, topup } = rememberedHold.fromRow(row)
  const named = { userId: row["user_id"] as string, key: row["key"] as string }
  return {
    key: named.key,
    fingerprint: row["fingerprint"] as string,
    at: Date.parse(row["used_at"] as string),
    hold:
      row["hold_allowance"] === null
        ? undefined
        : { ...named, amount: allowance + topup, from: { allowance, topup }, periodStart, expiresAt },
    transaction: transaction === null ? undefined : transactionOfRow(transaction)
  }
}

export const purchaseRow = mapping<PurchaseState>({
  charge: "charge",
  granted: "granted",
  paid: "paid",
  clawedBack: "clawed_back",
  reports: "reports"
})
