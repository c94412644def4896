import { type AccessRecord, type AccessSince, AccessStore, RevokedSessions } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface AccessRow extends Row {
  readonly person: string
  readonly notBefore: number | null
  readonly blockedAt: number | null
}

interface ChangedAccess extends AccessRow {
  readonly changedAt: number
}

/** Changed records, each with the time of its change: several databases may have one of the same person. */
export interface TimedAccess extends AccessSince {
  readonly changedAt: ReadonlyArray<number>
}

/** The rows that changed since a time, and the time with which the caller asks next. */
interface ChangedRow<A> extends Row {
  readonly changed: ReadonlyArray<A>
  readonly as_of: number
}

/**
 * The overlap of two reads of changes. It is longer than the time from a statement's clock reading to its commit, so
 * that the next read includes rows that were committed late.
 */
const OVERLAP = "interval '1 minute'"

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

const AS_OF = `${milliseconds(`clock_timestamp() - ${OVERLAP}`)} AS as_of`
const SINCE = "coalesce(to_timestamp($1::float8 / 1000), '-infinity')"

const COLUMNS = `encode(a.person, 'hex') AS person, ${milliseconds("a.not_before")} AS "notBefore",
  ${milliseconds("a.blocked_at")} AS "blockedAt"`

const recordOf = ({ blockedAt, notBefore, person }: AccessRow): AccessRecord => ({
  person,
  notBefore: notBefore ?? undefined,
  blockedAt: blockedAt ?? undefined
})

const makeAccess = Effect.map(Database, ({ asService, schema, statement }) => {
  const findText = `SELECT ${COLUMNS} FROM ${schema}.access a WHERE a.person = sha256(convert_to($1, 'UTF8'))`
  const sinceText = `SELECT ${AS_OF}, (
    SELECT coalesce(json_agg(r), '[]') FROM (
      SELECT ${COLUMNS}, ${milliseconds("a.changed_at")} AS "changedAt"
      FROM ${schema}.access a WHERE a.changed_at >= ${SINCE}
    ) r
  ) AS changed`
  const find = (userId: string) => Effect.map(statement<AccessRow>(findText, [userId]), ([row]) => row && recordOf(row))
  return AccessStore.of({
    change: ({ change, userId }) =>
      statement<AccessRow>(`SELECT ${COLUMNS} FROM ${schema}.change_access($1, $2) a`, [userId, change]).pipe(
        Effect.map(([row]) => recordOf(row as AccessRow)),
        storing("AccessStore.change")
      ),
    find: (userId) => storing("AccessStore.find")(find(userId)),
    lock: (userId) =>
      asService(({ query }) =>
        // Uses two statements, so that the second one sees the changes that the previous holder of the lock has
        // committed.
        Effect.andThen(
          query(`SELECT ${schema}.lock_payments($1)`, [userId]),
          Effect.map(query<AccessRow>(findText, [userId]), ([row]) => row && recordOf(row))
        )
      ).pipe(storing("AccessStore.lock")),
    since: (moment) =>
      Effect.map(statement<ChangedRow<ChangedAccess>>(sinceText, [moment ?? null]), ([row]): TimedAccess => ({
        people: (row?.changed ?? []).map(recordOf),
        changedAt: (row?.changed ?? []).map(({ changedAt }) => changedAt),
        asOf: row?.as_of ?? moment ?? 0
      })).pipe(storing("AccessStore.since"))
  })
})

const makeRevoked = Effect.map(Database, ({ schema, statement }) => {
  const revokeText = `
    WITH forgotten AS (DELETE FROM ${schema}.revoked_sessions WHERE expires_at <= clock_timestamp())
    INSERT INTO ${schema}.revoked_sessions (digest, expires_at)
    SELECT decode($1, 'hex'), to_timestamp($2::float8 / 1000) WHERE to_timestamp($2::float8 / 1000) > clock_timestamp()
    ON CONFLICT (digest) DO NOTHING`
  const sinceText = `SELECT ${AS_OF}, (
    SELECT coalesce(json_agg(json_build_object('digest', encode(r.digest, 'hex'),
      'expiresAt', extract(epoch FROM r.expires_at) * 1000)), '[]')
    FROM ${schema}.revoked_sessions r
    WHERE r.expires_at > clock_timestamp() AND r.revoked_at >= ${SINCE}
  ) AS changed`
  return RevokedSessions.of({
    revoke: ({ digest, expiresAt }) =>
      Effect.asVoid(statement(revokeText, [digest, expiresAt])).pipe(storing("RevokedSessions.revoke")),
    since: (moment) =>
      Effect.map(
        statement<ChangedRow<{ readonly digest: string; readonly expiresAt: number }>>(sinceText, [moment ?? null]),
        ([row]) => ({ sessions: row?.changed ?? [], asOf: row?.as_of ?? moment ?? 0 })
      ).pipe(storing("RevokedSessions.since"))
  })
})

/**
 * The people whose access operators have ended, in Postgres or PGlite, shared by all server processes of this database.
 */
export const PgAccessStoreLayer: Layer.Layer<AccessStore, never, Database> = Layer.effect(AccessStore, makeAccess)

/** The sessions that were signed out, in Postgres or PGlite, shared by all server processes of this database. */
export const PgRevokedSessionsLayer: Layer.Layer<RevokedSessions, never, Database> = Layer.effect(
  RevokedSessions,
  makeRevoked
)
