import type { Changes } from "@parley/core"
import { Effect } from "effect"
import type { DatabaseError, Sql } from "../database/Database.ts"

const ACCOUNT_FIELDS = `tier, allowance, topup, debt, held_allowance, held_topup, anchor, period_start, next_reset_at,
  renewed_by, pending_tier, entries, version`

/**
 * All changes of a batch in one statement, each list a JSON parameter. An account is written only where it still has the
 * version its changes were decided from (or, being new, does not exist yet), and what belongs to an account is written
 * only where the account is. Rows are locked in the order of their keys, so that no two batches wait for each other.
 */
const writeText = (schema: string) => `
  WITH given AS MATERIALIZED (
    SELECT g.* FROM json_to_recordset($1::json) AS g(user_id text, tier text, allowance bigint, topup bigint, debt bigint,
      held_allowance bigint, held_topup bigint, anchor timestamptz, period_start timestamptz, next_reset_at timestamptz,
      renewed_by text, pending_tier text, entries bigint, version bigint)
    ORDER BY user_id COLLATE "C" LIMIT $6
  ), locked AS MATERIALIZED (
    SELECT l.user_id FROM given g CROSS JOIN LATERAL (
      SELECT a.user_id FROM ${schema}.credit_accounts a
      WHERE a.user_id = g.user_id AND a.version = g.version - 1 FOR UPDATE
    ) l
  ), updated AS (
    UPDATE ${schema}.credit_accounts a
    SET tier = g.tier, allowance = g.allowance, topup = g.topup, debt = g.debt, held_allowance = g.held_allowance,
      held_topup = g.held_topup, anchor = g.anchor, period_start = g.period_start, next_reset_at = g.next_reset_at,
      renewed_by = g.renewed_by, pending_tier = g.pending_tier, entries = g.entries, version = g.version
    FROM locked l JOIN given g ON g.user_id = l.user_id
    WHERE a.user_id = l.user_id AND a.version = g.version - 1
    RETURNING a.user_id
  ), inserted AS (
    INSERT INTO ${schema}.credit_accounts (user_id, ${ACCOUNT_FIELDS})
    SELECT user_id, ${ACCOUNT_FIELDS} FROM given WHERE version = 1
    ON CONFLICT DO NOTHING
    RETURNING user_id
  ), written AS MATERIALIZED (
    SELECT user_id FROM updated UNION ALL SELECT user_id FROM inserted
  ), closed AS (
    DELETE FROM ${schema}.credit_holds h
    USING json_to_recordset($2::json) AS c(user_id text, key text) JOIN written w ON w.user_id = c.user_id
    WHERE h.user_id = c.user_id AND h.key = c.key
  ), opened AS (
    INSERT INTO ${schema}.credit_holds
      (user_id, key, allowance, topup, period_start, expires_at, content, attempt, draft)
    SELECT o.* FROM json_to_recordset($3::json) AS o(user_id text, key text, allowance bigint, topup bigint,
      period_start timestamptz, expires_at timestamptz, content text, attempt text, draft jsonb)
    JOIN written w ON w.user_id = o.user_id
  ), entered AS (
    INSERT INTO ${schema}.credit_transactions (user_id, number, type, amount, allowance_amount, topup_amount,
      balance_after, model, reference, created_at, receipt)
    SELECT t.* FROM json_to_recordset($4::json) AS t(user_id text, number bigint, type text, amount bigint,
      allowance_amount bigint, topup_amount bigint, balance_after bigint, model text, reference text,
      created_at timestamptz, receipt jsonb)
    JOIN written w ON w.user_id = t.user_id
  ), remembered AS (
    INSERT INTO ${schema}.credit_keys (user_id, key, content, used_at, number, hold_allowance, hold_topup,
      hold_period_start, hold_expires_at)
    SELECT k.* FROM json_to_recordset($5::json) AS k(user_id text, key text, content text, used_at timestamptz,
      number bigint, hold_allowance bigint, hold_topup bigint, hold_period_start timestamptz,
      hold_expires_at timestamptz)
    JOIN written w ON w.user_id = k.user_id
  )
  SELECT user_id FROM written`

const iso = (time: number): string => new Date(time).toISOString()

const accountJson = ({ account: a }: Changes) => ({
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
  version: a.version
})

const closedJson = ({ account, closed }: Changes) => closed.map((key) => ({ user_id: account.userId, key }))

const openedJson = ({ account, opened }: Changes) =>
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

const transactionsJson = ({ account, transactions }: Changes) =>
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

const factsJson = ({ account, facts }: Changes) =>
  facts.map(({ key, content, at, hold, transaction }) => ({
    user_id: account.userId,
    key,
    content,
    used_at: iso(at),
    number: transaction === undefined ? null : Number(transaction.id),
    hold_allowance: hold?.from.allowance,
    hold_topup: hold?.from.topup,
    hold_period_start: hold && iso(hold.periodStart),
    hold_expires_at: hold && iso(hold.expiresAt)
  }))

/** Writes what was decided for several accounts; gives the users whose changes were written, all or nothing for each. */
export const writeChanges = (
  query: Sql["query"],
  schema: string,
  changes: ReadonlyArray<Changes>
): Effect.Effect<ReadonlySet<string>, DatabaseError> => {
  const lists = [
    changes.map(accountJson),
    changes.flatMap(closedJson),
    changes.flatMap(openedJson),
    changes.flatMap(transactionsJson),
    changes.flatMap(factsJson)
  ]
  return Effect.map(
    query<{ user_id: string }>(writeText(schema), [...lists.map((list) => JSON.stringify(list)), changes.length]),
    (rows) => new Set(rows.map((row) => row.user_id))
  )
}
