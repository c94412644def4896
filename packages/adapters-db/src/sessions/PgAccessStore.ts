import { type AccessRecord, AccessStore } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface AccessRow extends Row {
  readonly person: string
  readonly notBefore: number | null
  readonly blockedAt: number | null
}

interface AnswerRow extends Row {
  readonly people: ReadonlyArray<AccessRow>
  readonly as_of: number
}

/** Longer than a statement takes from its clock to its commit: what is committed late is asked for again. */
const OVERLAP = "interval '1 minute'"

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

const COLUMNS = `encode(a.person, 'hex') AS person, ${milliseconds("a.not_before")} AS "notBefore",
  ${milliseconds("a.blocked_at")} AS "blockedAt"`

const findText = (schema: string) =>
  `SELECT ${COLUMNS} FROM ${schema}.access a WHERE a.person = sha256(convert_to($1, 'UTF8'))`

const sinceText = (schema: string) => `
  SELECT ${milliseconds(`clock_timestamp() - ${OVERLAP}`)} AS as_of, (
    SELECT coalesce(json_agg(r), '[]') FROM (
      SELECT ${COLUMNS} FROM ${schema}.access a
      WHERE a.changed_at >= coalesce(to_timestamp($1::float8 / 1000), '-infinity')
    ) r
  ) AS people`

const recordOf = ({ blockedAt, notBefore, person }: AccessRow): AccessRecord => ({
  person,
  notBefore: notBefore ?? undefined,
  blockedAt: blockedAt ?? undefined
})

const make = Effect.map(Database, ({ asService, schema, statement }) => {
  const find = (userId: string) =>
    Effect.map(statement<AccessRow>(findText(schema), [userId]), ([row]) => row && recordOf(row))
  return AccessStore.of({
    change: ({ change, userId }) =>
      statement<AccessRow>(`SELECT ${COLUMNS} FROM ${schema}.change_access($1, $2) a`, [userId, change]).pipe(
        Effect.map(([row]) => recordOf(row as AccessRow)),
        storing("AccessStore.change")
      ),
    find: (userId) => storing("AccessStore.find")(find(userId)),
    lock: (userId) =>
      asService(({ query }) =>
        // Two statements: the second one sees what the transaction before committed.
        Effect.andThen(
          query(`SELECT ${schema}.lock_payments($1)`, [userId]),
          Effect.map(query<AccessRow>(findText(schema), [userId]), ([row]) => row && recordOf(row))
        )
      ).pipe(storing("AccessStore.lock")),
    since: (moment) =>
      Effect.map(statement<AnswerRow>(sinceText(schema), [moment ?? null]), ([row]) => ({
        people: (row?.people ?? []).map(recordOf),
        asOf: row?.as_of ?? moment ?? 0
      })).pipe(storing("AccessStore.since"))
  })
})

/** The people whose access operators ended, in Postgres or PGlite, for all server processes on it. */
export const PgAccessStoreLayer: Layer.Layer<AccessStore, never, Database> = Layer.effect(AccessStore, make)
