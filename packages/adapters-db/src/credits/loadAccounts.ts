import {
  type IdempotencyRecord,
  type Hold,
  keysOf,
  type LedgerAccount,
  type LoadedAccount,
  type OpenHold,
  type Operation,
  type PurchaseState,
  type Refusal
} from "@parley/core/adapter"
import type { Transaction } from "@parley/core"
import { Effect } from "effect"
import type { DatabaseError, Row, Sql } from "../database/Database.ts"

/** Columns of an account; dates as the drivers give them. */
export interface AccountRow extends Row {
  readonly user_id: string
  readonly tier: LedgerAccount["tier"]
  readonly allowance: number
  readonly topup: number
  readonly debt: number
  readonly held_allowance: number
  readonly held_topup: number
  readonly open_holds: number
  readonly anchor: Date
  readonly period_start: Date
  readonly next_reset_at: Date
  readonly period_credits: number
  readonly renewed_by: LedgerAccount["renewedBy"]
  readonly renewed_until: Date | null
  readonly pending_tier: LedgerAccount["tier"] | null
  readonly transaction_count: number
  readonly version: number
  readonly by_type: LedgerAccount["byType"]
  readonly terms_transaction: number
  readonly holds_opened: number
  readonly holds_ended: number
  readonly usage_day: number
  readonly usage_by_kind: LedgerAccount["usageByKind"]
}

export const ACCOUNT_COLUMNS = `a.user_id, a.tier, a.allowance, a.topup, a.debt, a.held_allowance, a.held_topup,
  a.open_holds, a.anchor, a.period_start, a.next_reset_at, a.period_credits, a.renewed_by, a.renewed_until, a.pending_tier, a.transaction_count, a.version,
  a.by_type, a.terms_transaction, a.holds_opened, a.holds_ended,
  a.usage_day, a.usage_by_kind`

export const toAccount = (row: AccountRow): LedgerAccount => ({
  userId: row.user_id,
  tier: row.tier,
  allowance: row.allowance,
  topup: row.topup,
  debt: row.debt,
  heldAllowance: row.held_allowance,
  heldTopup: row.held_topup,
  anchor: row.anchor.getTime(),
  periodStart: row.period_start.getTime(),
  nextResetAt: row.next_reset_at.getTime(),
  periodCredits: row.period_credits,
  renewedBy: row.renewed_by,
  renewedUntil: row.renewed_until?.getTime(),
  pendingTier: row.pending_tier ?? undefined,
  transactionCount: row.transaction_count,
  version: row.version,
  openHolds: row.open_holds,
  byType: row.by_type,
  termsTransaction: row.terms_transaction,
  holdsOpened: row.holds_opened,
  holdsEnded: row.holds_ended,
  usageDay: row.usage_day,
  usageByKind: row.usage_by_kind
})

/** Columns of a transaction. */
export interface TransactionRow extends Row {
  readonly number: number
  readonly type: Transaction["type"]
  readonly amount: number
  readonly allowance_amount: number
  readonly topup_amount: number
  readonly balance_after: number
  readonly model: string | null
  readonly source: Transaction["source"] | null
  readonly charge: string | null
  readonly reference: string
  readonly created_at: Date
  readonly receipt: Transaction["receipt"] | null
}

export const TRANSACTION_COLUMNS = `t.number, t.type, t.amount, t.allowance_amount, t.topup_amount, t.balance_after,
  t.model, t.source, t.charge, t.reference, t.created_at, t.receipt`

export const toTransaction = (row: TransactionRow): Transaction => ({
  id: String(row.number),
  type: row.type,
  amount: row.amount,
  allowanceAmount: row.allowance_amount,
  topupAmount: row.topup_amount,
  balanceAfter: row.balance_after,
  model: row.model ?? undefined,
  source: row.source ?? undefined,
  charge: row.charge ?? undefined,
  reference: row.reference,
  createdAt: row.created_at.getTime(),
  receipt: row.receipt ?? undefined
})

/** One named (account, key), with all that is stored about it; columns of what is not stored are null. */
interface LoadedRow extends Row {
  readonly asked_user: string
  readonly asked_key: string | null
  readonly open_allowance: number | null
  readonly open_topup: number
  readonly open_period_start: Date
  readonly open_expires_at: Date
  readonly open_fingerprint: string
  readonly open_reservation_id: string
  readonly open_source: OpenHold["source"]
  readonly open_draft: OpenHold["draft"]
  readonly open_output_tokens: number
  readonly record_fingerprint: string | null
  readonly record_used_at: Date
  readonly hold_allowance: number | null
  readonly hold_topup: number
  readonly hold_period_start: Date
  readonly hold_expires_at: Date
  readonly purchase: PurchaseState | null
}

/** What was granted for a charge, and what was taken back of it. */
const purchaseText = (schema: string) => `(
    SELECT json_build_object('charge', p.charge, 'granted', p.granted, 'paid', p.paid, 'clawedBack', p.clawed_back,
      'reports', p.reports)
    FROM ${schema}.credit_purchases p WHERE p.user_id = o.user_id AND p.charge = o.charge
  )`

const loadText = (schema: string, purchase: string) => `
  SELECT o.user_id AS asked_user, o.key AS asked_key, ${purchase} AS purchase,
    ${ACCOUNT_COLUMNS},
    h.allowance AS open_allowance, h.topup AS open_topup, h.period_start AS open_period_start,
    h.expires_at AS open_expires_at, h.fingerprint AS open_fingerprint, h.source AS open_source, h.reservation_id AS open_reservation_id, h.draft AS open_draft,
    h.output_tokens AS open_output_tokens, k.fingerprint AS record_fingerprint, k.used_at AS record_used_at, k.hold_allowance,
    k.hold_topup, k.hold_period_start, k.hold_expires_at, ${TRANSACTION_COLUMNS}
  FROM unnest($1::text[], $2::text[], $3::text[]) AS o(user_id, key, charge)
  LEFT JOIN ${schema}.credit_accounts a ON a.user_id = o.user_id
  LEFT JOIN ${schema}.credit_holds h ON h.user_id = o.user_id AND h.key = o.key
  LEFT JOIN ${schema}.credit_idempotency k ON k.user_id = o.user_id AND k.key = o.key
  LEFT JOIN ${schema}.credit_transactions t ON t.user_id = k.user_id AND t.number = k.number`

/** Accounts alone, of operations that read nothing else, as every request does first: planned in a quarter of the time. */
const loadAloneText = (schema: string) => `
  SELECT o.user_id AS asked_user, NULL AS asked_key, NULL AS purchase, ${ACCOUNT_COLUMNS}
  FROM unnest($1::text[]) AS o(user_id)
  LEFT JOIN ${schema}.credit_accounts a ON a.user_id = o.user_id`

interface Named {
  readonly userId: string
  readonly key: string
}

const holdOf = (named: Named, allowance: number, topup: number, periodStart: Date, expiresAt: Date): Hold => ({
  ...named,
  amount: allowance + topup,
  from: { allowance, topup },
  periodStart: periodStart.getTime(),
  expiresAt: expiresAt.getTime()
})

const openHoldOf = (named: Named, row: LoadedRow): OpenHold | undefined =>
  row.open_allowance === null
    ? undefined
    : {
        hold: holdOf(named, row.open_allowance, row.open_topup, row.open_period_start, row.open_expires_at),
        source: row.open_source,
        fingerprint: row.open_fingerprint,
        reservationId: row.open_reservation_id,
        draft: row.open_draft,
        outputTokens: row.open_output_tokens
      }

const recordOf = (named: Named, row: LoadedRow): IdempotencyRecord | undefined =>
  row.record_fingerprint === null
    ? undefined
    : {
        key: named.key,
        fingerprint: row.record_fingerprint,
        at: row.record_used_at.getTime(),
        hold:
          row.hold_allowance === null
            ? undefined
            : holdOf(named, row.hold_allowance, row.hold_topup, row.hold_period_start, row.hold_expires_at),
        transaction: row["number"] === null ? undefined : toTransaction(row as Row as TransactionRow)
      }

interface Gathered extends LoadedAccount {
  readonly holds: Map<string, OpenHold>
  readonly records: Map<string, IdempotencyRecord>
  readonly purchases: Map<string, PurchaseState>
}

/** What an operation needs to see, as rows to be looked up: one for each of its keys. */
const askedBy = (operation: Operation<unknown, Refusal>) => {
  const { charge = null } = operation.reads
  const keys = keysOf(operation)
  return (keys.length === 0 ? [null] : keys).map((key) => [operation.userId, key, charge])
}

/**
 * Reads, in one statement, the accounts of `operations` with the holds, records and purchases that they read. What one
 * account's operations get is one consistent state: every write of holds and records changes the account's version.
 */
export const loadAccounts = Effect.fnUntraced(function* (
  query: Sql["query"],
  schema: string,
  operations: ReadonlyArray<Operation<unknown, Refusal>>
): Effect.fn.Return<ReadonlyMap<string, LoadedAccount>, DatabaseError> {
  const asked = operations.flatMap(askedBy)
  const readsPurchases = operations.some(({ reads }) => reads.charge !== undefined)
  const readsAccounts = !readsPurchases && asked.every(([, key]) => key === null)
  const columns = readsAccounts ? [0] : [0, 1, 2]
  const rows = yield* query<LoadedRow>(
    readsAccounts ? loadAloneText(schema) : loadText(schema, readsPurchases ? purchaseText(schema) : "NULL"),
    columns.map((column) => asked.map((row) => row[column]))
  )
  const loaded = new Map<string, Gathered>()
  for (const row of rows) {
    const userId = row.asked_user
    let gathered = loaded.get(userId)
    if (gathered === undefined) {
      const account = row["version"] === null ? undefined : toAccount(row as Row as AccountRow)
      gathered = { account, holds: new Map(), records: new Map(), purchases: new Map() }
      loaded.set(userId, gathered)
    }
    if (row.purchase !== null) gathered.purchases.set(row.purchase.charge, row.purchase)
    if (row.asked_key === null) continue
    const named = { userId, key: row.asked_key }
    const open = openHoldOf(named, row)
    const record = recordOf(named, row)
    if (open !== undefined) gathered.holds.set(named.key, open)
    if (record !== undefined) gathered.records.set(named.key, record)
  }
  return loaded
})
