import { NOTHING_RESET, PERIOD_CONTENT, type ResetChunk, type ResetInput, type TierResets } from "@parley/core"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { periodNumberSql, periodStartSql } from "./periodSql.ts"

/**
 * What becomes of each account that is due: `decideReset` of the core, over a chunk at once. Accounts that somebody
 * else has locked are skipped, so that a chunk waits for nobody; of a locked account everything is read anew. The key's
 * order keeps the rows and index entries that a chunk writes close together.
 */
const plannedText = (schema: string, locking: string) => `
  WITH due AS MATERIALIZED (
    SELECT user_id FROM ${schema}.credit_accounts
    WHERE renewed_by = 'schedule' AND next_reset_at <= $1::timestamptz AND user_id > $4
    ORDER BY user_id LIMIT $3
  ), taken AS MATERIALIZED (
    SELECT a.* FROM due d JOIN ${schema}.credit_accounts a ON a.user_id = d.user_id
    WHERE a.renewed_by = 'schedule' AND a.next_reset_at <= $1::timestamptz
    ${locking}
  ), dated AS (
    SELECT t.*, coalesce(t.pending_tier, t.tier) AS new_tier,
      ${periodStartSql("t.anchor", "n.number")} AS new_start, ${periodStartSql("t.anchor", "n.number + 1")} AS new_end
    FROM taken t CROSS JOIN LATERAL (SELECT ${periodNumberSql("t.anchor", "$1::timestamptz")} AS number) n
  ), keyed AS (
    SELECT d.*, ($2::jsonb ->> d.new_tier)::bigint AS plan,
      'period:' || d.user_id || ':' || to_char(d.new_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS key
    FROM dated d
  ), planned AS MATERIALIZED (
    SELECT k.*, u.used IS NULL AS fresh, k.allowance - k.held_allowance AS expired, least(k.debt, k.plan) AS repaid,
      least(k.plan - least(k.debt, k.plan), 9007199254740991 - k.held_allowance - k.topup) AS added
    FROM keyed k LEFT JOIN LATERAL (
      -- LIMIT keeps this a look-up by key for each account, however many keys there are.
      SELECT true AS used FROM ${schema}.credit_keys WHERE user_id = k.user_id AND key = k.key LIMIT 1
    ) u ON true
  )`

const writtenText = (schema: string) => `, updated AS (
    UPDATE ${schema}.credit_accounts a
    SET tier = p.new_tier, pending_tier = NULL, period_start = p.new_start, next_reset_at = p.new_end,
      allowance = CASE WHEN p.fresh THEN p.held_allowance + p.added ELSE p.allowance END,
      debt = CASE WHEN p.fresh THEN p.debt - p.repaid ELSE p.debt END,
      entries = p.entries + p.fresh::int, version = p.version + 1
    FROM planned p WHERE a.user_id = p.user_id
  ), entered AS (
    INSERT INTO ${schema}.credit_transactions (user_id, number, type, amount, allowance_amount, topup_amount,
      balance_after, reference, created_at)
    SELECT user_id, entries + 1, 'reset', added + repaid - expired, added - expired, 0,
      held_allowance + added + topup - debt + repaid, key, $5::timestamptz
    FROM planned WHERE fresh
  ), remembered AS (
    INSERT INTO ${schema}.credit_keys (user_id, key, content, used_at, number)
    SELECT user_id, key, '${PERIOD_CONTENT}', $5::timestamptz, entries + 1 FROM planned WHERE fresh
  )`

const REPORT = `
  SELECT
    (SELECT count(*) FROM due) AS due, (SELECT count(*) FROM taken) AS taken,
    (SELECT user_id FROM due ORDER BY due.user_id DESC LIMIT 1) AS last,
    (SELECT json_object_agg(t.tier, t.counted) FROM (
      SELECT new_tier AS tier, json_build_object('accounts', count(*), 'granted', sum(added + repaid),
        'repaid', sum(repaid), 'expired', sum(expired)) AS counted
      FROM planned WHERE fresh GROUP BY new_tier
    ) t) AS tiers`

const resetText = (schema: string) => plannedText(schema, "FOR UPDATE OF a SKIP LOCKED") + writtenText(schema) + REPORT

/** The same without locks and writes; $5 is named so that both take the same parameters. */
const dryRunText = (schema: string) => `${plannedText(schema, "")} ${REPORT} WHERE $5::timestamptz IS NOT NULL`

interface ReportRow extends Row {
  readonly due: number
  readonly taken: number
  readonly last: string | null
  readonly tiers: Partial<TierResets> | null
}

/** Resets, or only counts, one chunk of the accounts that are due, in one statement. */
export const resetAccounts = (
  { schema, statement }: Database["Service"],
  { asOf, allowances, limit, after, dryRun }: ResetInput,
  now: number
): Effect.Effect<ResetChunk, DatabaseError> => {
  const parameters = [
    new Date(asOf).toISOString(),
    JSON.stringify(allowances),
    limit,
    after ?? "",
    new Date(now).toISOString()
  ]
  return Effect.map(
    statement<ReportRow>(dryRun ? dryRunText(schema) : resetText(schema), parameters),
    ([row]): ResetChunk => ({
      tiers: { ...NOTHING_RESET, ...row?.tiers },
      busy: (row?.due ?? 0) - (row?.taken ?? 0),
      next: row === undefined || row.due < limit ? undefined : (row.last ?? undefined)
    })
  )
}
