import { NOTHING_RENEWED, type Renewed, type RenewInput } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../database/Database.ts"
import { momentOf } from "./LedgerClock.ts"

/**
 * Locks hold rows alone, and skips those that another call has locked: such a hold is just being ended, or renewed by
 * another call. So a renewal waits for no lock, and cannot be part of a deadlock.
 */
const renewText = (schema: string) => `
  WITH given AS MATERIALIZED (
    SELECT user_id, key, max(output_tokens) AS output_tokens, max(draft) AS draft
    FROM unnest($1::text[], $2::text[], $3::bigint[], $5::text[]) AS g(user_id, key, output_tokens, draft)
    GROUP BY user_id, key
  ), locked AS MATERIALIZED (
    SELECT h.user_id, h.key, greatest(h.output_tokens, g.output_tokens) AS tokens,
      greatest(h.expires_at, ${momentOf("$4")} + $6 * interval '1 millisecond') AS expiry,
      coalesce(g.draft::jsonb, h.draft) AS charged FROM given g
    JOIN ${schema}.credit_holds h ON h.user_id = g.user_id AND h.key = g.key
    FOR UPDATE OF h SKIP LOCKED
  ), renewed AS (
    UPDATE ${schema}.credit_holds h
    SET output_tokens = l.tokens, expires_at = l.expiry, draft = l.charged,
      seal = ${schema}.hold_seal(l.user_id, l.key, h.allowance, h.topup, h.period_start, l.expiry, h.fingerprint, h.source, h.reservation_id,
        l.charged, l.tokens)
    FROM locked l WHERE h.user_id = l.user_id AND h.key = l.key
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM renewed) AS renewed, (
    SELECT json_agg(json_build_object('userId', g.user_id, 'key', g.key)) FROM given g
    WHERE NOT EXISTS (SELECT FROM ${schema}.credit_holds h WHERE h.user_id = g.user_id AND h.key = g.key)
  ) AS gone`

/** Records progress and expiry of open holds; gives how many were still open, and which are gone. */
export const renewHolds = (
  { schema, statement }: Database["Service"],
  { holds, ttlMs }: RenewInput,
  now: string | null
): Effect.Effect<Renewed, DatabaseError> =>
  holds.length === 0
    ? Effect.succeed(NOTHING_RENEWED)
    : Effect.map(
        statement<{ readonly renewed: number; readonly gone: Renewed["gone"] | null }>(renewText(schema), [
          holds.map(({ userId }) => userId),
          holds.map(({ key }) => key),
          holds.map(({ outputTokens }) => outputTokens),
          now,
          holds.map(({ draft }) => (draft === undefined ? null : JSON.stringify(draft))),
          ttlMs
        ]),
        ([row]) => ({ renewed: row?.renewed ?? 0, gone: row?.gone ?? [] })
      )
