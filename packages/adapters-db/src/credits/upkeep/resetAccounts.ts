import {
  type DueInput,
  noResets,
  type ResetChunk,
  type ResetInput,
  type ResetRange,
  type TierResets
} from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"

const dueText = (schema: string) => `
  SELECT max(user_id) AS upto FROM (
    SELECT user_id FROM ${schema}.credit_accounts
    WHERE renewed_by = 'schedule' AND next_reset_at <= $1::timestamptz
      AND (renewed_until IS NULL OR next_reset_at < renewed_until) AND user_id > $2 ORDER BY user_id LIMIT $3
  ) d`

/** The next range of users, in the order of their ids, with at most this number of due accounts. */
export const nextDue = (
  { schema, statement }: Database["Service"],
  { asOf, before, limit }: DueInput
): Effect.Effect<ResetRange | undefined, DatabaseError> =>
  Effect.map(
    statement<{ readonly upto: string | null }>(dueText(schema), [
      new Date(asOf).toISOString(),
      before?.upto ?? "",
      limit
    ]),
    ([row]) => (row === undefined || row.upto === null ? undefined : { after: before?.upto, upto: row.upto })
  )

interface ReportRow extends Row {
  readonly busy: number
  readonly tiers: TierResets | null
}

/** Resets, or only counts, the accounts of a range that are due, in one statement. */
export const resetAccounts = (
  { schema, statement }: Database["Service"],
  { asOf, allowances, range, dryRun }: ResetInput,
  now: string | null
): Effect.Effect<ResetChunk, DatabaseError> =>
  Effect.map(
    statement<ReportRow>(`SELECT busy, tiers FROM ${schema}.reset_credits($1, $2, $3, $4, $5, $6)`, [
      new Date(asOf).toISOString(),
      JSON.stringify(allowances),
      range.after ?? "",
      range.upto,
      now,
      dryRun
    ]),
    ([row]): ResetChunk => ({ tiers: { ...noResets(allowances), ...row?.tiers }, busy: row?.busy ?? 0 })
  )
