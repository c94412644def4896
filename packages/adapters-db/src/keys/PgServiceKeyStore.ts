import { NOTE_USE_EVERY_MS, ServiceKeyStore } from "@parley/core/adapter"
import type { ServiceKey } from "@parley/core"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface KeyRow extends Row, Pick<ServiceKey, "id" | "name" | "scopes" | "state" | "createdAt"> {
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly previousUntil: number | null
  readonly lastUsedAt: number | null
  readonly digests: ReadonlyArray<string>
}

const milliseconds = (column: string) => `floor(extract(epoch FROM k.${column}) * 1000)::float8`

const COLUMNS = `k.id, k.name, to_json(k.scopes) AS scopes,
  CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= clock_timestamp() THEN 'expired'
    ELSE 'active' END AS state,
  ${milliseconds("created_at")} AS "createdAt", ${milliseconds("expires_at")} AS "expiresAt",
  ${milliseconds("revoked_at")} AS "revokedAt", ${milliseconds("previous_until")} AS "previousUntil",
  ${milliseconds("last_used_at")} AS "lastUsedAt"`

/**
 * The digests of the texts that are valid for a key now: the current text and, for some time after a change, the
 * previous one.
 */
const DIGESTS = `to_json(array_remove(ARRAY[encode(k.digest, 'hex'),
  CASE WHEN k.previous_until > clock_timestamp() THEN encode(k.previous_digest, 'hex') END], NULL)) AS digests`

const textsOf = (schema: string) => {
  const keys = `${schema}.service_keys`
  return {
    insert: `INSERT INTO ${keys} AS k (id, name, scopes, digest, expires_at)
      SELECT $1, $2, array(SELECT json_array_elements_text($3::json)), decode($4, 'hex'), to_timestamp($5::float8 / 1000)
      RETURNING ${COLUMNS}`,
    find: `SELECT ${COLUMNS}, ${DIGESTS} FROM ${keys} k WHERE k.id = $1`,
    list: `SELECT ${COLUMNS} FROM ${keys} k ORDER BY k.created_at DESC, k.id`,
    rotate: `UPDATE ${keys} AS k SET digest = decode($2, 'hex'), previous_digest = k.digest,
        previous_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
      WHERE k.id = $1 AND k.revoked_at IS NULL AND coalesce(k.expires_at > clock_timestamp(), true)
      RETURNING ${COLUMNS}`,
    revoke: `UPDATE ${keys} AS k SET revoked_at = coalesce(k.revoked_at, clock_timestamp()) WHERE k.id = $1
      RETURNING ${COLUMNS}`,
    noteUse: `UPDATE ${keys} AS k SET last_used_at = clock_timestamp()
      WHERE k.id = $1
        AND coalesce(k.last_used_at <= clock_timestamp() - $2::float8 * interval '1 millisecond', true)`
  }
}

const keyOf = (row: KeyRow): ServiceKey => {
  const { createdAt, expiresAt, id, lastUsedAt, name, previousUntil, revokedAt, scopes, state } = row
  return {
    id,
    name,
    scopes,
    state,
    createdAt,
    expiresAt: expiresAt ?? undefined,
    revokedAt: revokedAt ?? undefined,
    previousUntil: previousUntil ?? undefined,
    lastUsedAt: lastUsedAt ?? undefined
  }
}

const make = Effect.map(Database, ({ schema, statement }) => {
  const texts = textsOf(schema)
  const one = (text: string, values: ReadonlyArray<string | number | null>) =>
    Effect.map(statement<KeyRow>(text, values), ([row]) => row && keyOf(row))
  return ServiceKeyStore.of({
    insert: ({ digest, expiresAt, id, name, scopes }) =>
      one(texts.insert, [id, name, JSON.stringify(scopes), digest, expiresAt ?? null]).pipe(
        Effect.map((key) => key as ServiceKey),
        storing("ServiceKeyStore.insert")
      ),
    find: (id) =>
      Effect.map(statement<KeyRow>(texts.find, [id]), ([row]) => row && { ...keyOf(row), digests: row.digests }).pipe(
        storing("ServiceKeyStore.find")
      ),
    list: Effect.map(statement<KeyRow>(texts.list), (rows) => rows.map(keyOf)).pipe(storing("ServiceKeyStore.list")),
    rotate: ({ digest, id, overlapMs }) =>
      one(texts.rotate, [id, digest, overlapMs]).pipe(storing("ServiceKeyStore.rotate")),
    revoke: (id) => one(texts.revoke, [id]).pipe(storing("ServiceKeyStore.revoke")),
    noteUse: (id) =>
      Effect.asVoid(statement(texts.noteUse, [id, NOTE_USE_EVERY_MS])).pipe(storing("ServiceKeyStore.noteUse"))
  })
})

/** Service keys in Postgres or PGlite, shared by all server processes of this database. */
export const PgServiceKeyStoreLayer: Layer.Layer<ServiceKeyStore, never, Database> = Layer.effect(ServiceKeyStore, make)
