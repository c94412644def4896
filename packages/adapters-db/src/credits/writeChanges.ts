import type { Changes, Fact, LedgerAccount } from "@parley/core"
import { Effect } from "effect"
import type { DatabaseError, Sql } from "../database/Database.ts"

/** What was decided for one account, and what it was decided from. */
export interface AccountWrite {
  readonly changes: Changes
  /** The account as it was seen; undefined where there was none. */
  readonly seen: LedgerAccount | undefined
  /** Keys that were taken to be unused without looking. */
  readonly unseen: ReadonlyArray<string>
}

const iso = (time: number): string => new Date(time).toISOString()

const accountJson = ({ changes: { account: a }, seen }: AccountWrite) => ({
  user_id: a.userId,
  tier: a.tier,
  allowance: a.allowance,
  topup: a.topup,
  debt: a.debt,
  held_allowance: a.heldAllowance,
  held_topup: a.heldTopup,
  anchor: iso(a.anchor),
  period_start: iso(a.periodStart),
  next_reset_at: iso(a.nextResetAt),
  renewed_by: a.renewedBy,
  pending_tier: a.pendingTier,
  entries: a.entries,
  version: a.version,
  seen: seen && [seen.allowance, seen.topup, seen.debt, seen.heldAllowance, seen.heldTopup, seen.entries].join(" ")
})

const unseenJson = ({ changes, unseen }: AccountWrite) =>
  unseen.map((key) => ({ user_id: changes.account.userId, key }))

const openedJson = ({ changes: { account, opened } }: AccountWrite) =>
  opened.map(({ hold, content, attempt, draft }) => ({
    user_id: account.userId,
    key: hold.key,
    ...hold.from,
    period_start: iso(hold.periodStart),
    expires_at: iso(hold.expiresAt),
    content,
    attempt,
    draft
  }))

const transactionsJson = ({ changes: { account, transactions } }: AccountWrite) =>
  transactions.map((transaction) => ({
    user_id: account.userId,
    number: Number(transaction.id),
    type: transaction.type,
    amount: transaction.amount,
    allowance_amount: transaction.allowanceAmount,
    topup_amount: transaction.topupAmount,
    balance_after: transaction.balanceAfter,
    model: transaction.model,
    reference: transaction.reference,
    created_at: iso(transaction.createdAt),
    receipt: transaction.receipt
  }))

const factJson = (userId: string, { key, content, at, hold, transaction }: Fact) => ({
  user_id: userId,
  key,
  content,
  used_at: iso(at),
  number: transaction === undefined ? null : Number(transaction.id),
  hold_allowance: hold?.from.allowance,
  hold_topup: hold?.from.topup,
  hold_period_start: hold && iso(hold.periodStart),
  hold_expires_at: hold && iso(hold.expiresAt)
})

/** Every hold that ends does so under a fact of its own key. */
const endedJson = ({ changes: { account, closed, facts } }: AccountWrite) =>
  closed.map((key) => {
    const fact = facts.find((one) => one.key === key)
    if (fact === undefined) throw new Error("A hold was ended without a fact that says how.")
    return factJson(account.userId, fact)
  })

const factsJson = ({ changes: { account, closed, facts } }: AccountWrite) =>
  facts.filter(({ key }) => !closed.includes(key)).map((fact) => factJson(account.userId, fact))

/**
 * Writes what was decided for several accounts, in one statement; gives the users whose changes were written, all or
 * nothing for each. Nothing is written for an account that is not as it was seen. Fails, with SQLSTATE 40001 and
 * nothing written at all, where a key taken to be unused is not, or a hold taken to be open is not.
 */
export const writeChanges = (
  query: Sql["query"],
  schema: string,
  writes: ReadonlyArray<AccountWrite>
): Effect.Effect<ReadonlySet<string>, DatabaseError> => {
  const lists = [
    writes.map(accountJson),
    writes.flatMap(unseenJson),
    writes.flatMap(endedJson),
    writes.flatMap(openedJson),
    writes.flatMap(transactionsJson),
    writes.flatMap(factsJson)
  ]
  return Effect.map(
    query<{ written: ReadonlyArray<string> }>(
      `SELECT ${schema}.write_credits($1, $2, $3, $4, $5, $6) AS written`,
      lists.map((list) => (list.length === 0 ? null : JSON.stringify(list)))
    ),
    ([row]) => new Set(row?.written)
  )
}
