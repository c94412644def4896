import {
  cursorOf,
  type DueInput,
  noResets,
  positionIn,
  type ResetChunk,
  type ResetInput,
  type ResetRange,
  type TierResets
} from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"

/** A range of accounts: the last user id before it, which is empty at the beginning, and its last user id. */
const Range = Schema.Tuple([Schema.String, Schema.String])

const dueText = (schema: string, within: boolean) => `
  SELECT max(user_id) AS upto FROM (
    SELECT user_id FROM ${schema}.credit_accounts
    WHERE moved IS NULL AND renewed_by = 'schedule' AND next_reset_at <= $1::timestamptz
      AND (renewed_until IS NULL OR next_reset_at < renewed_until) AND user_id > $2 ${within ? "AND user_id <= $4" : ""} ORDER BY user_id LIMIT $3
  ) d`

/**
 * Returns the next range of users, in the order of their ids, that has at most `limit` accounts whose reset is due. It
 * passes over accounts that were moved or are being moved, whose writes are refused.
 */
export const nextDue = (
  { schema, statement }: Database["Service"],
  { asOf, before, limit, within }: DueInput
): Effect.Effect<ResetRange | undefined, DatabaseError> =>
  Effect.suspend(() => {
    const [first = "", ...last] = positionIn(Range, within) ?? []
    const [, after = first] = positionIn(Range, before) ?? []
    const facts = [new Date(asOf).toISOString(), after, limit, ...last]
    return Effect.map(
      statement<{ readonly upto: string | null }>(dueText(schema, within !== undefined), facts),
      ([row]) => (row === undefined || row.upto === null ? undefined : cursorOf(after, row.upto))
    )
  })

interface ReportRow extends Row {
  readonly busy: number
  readonly tiers: TierResets | null
}

/** Resets the accounts of a range whose reset is due, in one statement; if `dryRun`, only counts them. */
export const resetAccounts = (
  { schema, statement }: Database["Service"],
  { asOf, allowances, range, dryRun }: ResetInput,
  now: string | null
): Effect.Effect<ResetChunk, DatabaseError> =>
  Effect.map(
    Effect.suspend(() =>
      statement<ReportRow>(`SELECT busy, tiers FROM ${schema}.reset_credits($1, $2, $3, $4, $5, $6)`, [
        new Date(asOf).toISOString(),
        JSON.stringify(allowances),
        ...(positionIn(Range, range) ?? []),
        now,
        dryRun
      ])
    ),
    ([row]): ResetChunk => ({ tiers: { ...noResets(allowances), ...row?.tiers }, busy: row?.busy ?? 0 })
  )
