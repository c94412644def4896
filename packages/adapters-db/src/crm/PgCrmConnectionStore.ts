import type { CrmConnectionName, CrmProviderId } from "@parley/core"
import {
  CrmConnectionStore,
  cursorOf,
  type CrmConnectionsOf,
  type CrmProblem,
  type CrmState,
  isUuid,
  type NewCrmConnection,
  pageOf,
  positionIn,
  type RefreshClaim,
  SealedConnections,
  type StoredCrmConnection
} from "@parley/core/adapter"
import { Effect, Layer, Schema } from "effect"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { livesHere } from "../storage/leftRows.ts"

interface ConnectionRow extends Row {
  readonly user_id: string
  readonly bot_id: string
  readonly provider: CrmProviderId
  readonly sealed: string
  readonly key_id: string
  readonly expires_at: Date | null
  readonly refreshable: boolean
  readonly account_id: string | null
  readonly account_name: string | null
  readonly connected_at: Date
  readonly connected_by: string
  readonly state: CrmState
  readonly problem: CrmProblem | null
  readonly version: number
}

const connectionOf = (row: ConnectionRow): StoredCrmConnection => ({
  owner: row.user_id,
  botId: row.bot_id,
  provider: row.provider,
  sealed: row.sealed,
  keyId: row.key_id,
  expiresAt: row.expires_at?.getTime(),
  refreshable: row.refreshable,
  account: {
    ...(row.account_id === null ? {} : { id: row.account_id }),
    ...(row.account_name === null ? {} : { name: row.account_name })
  },
  connectedAt: row.connected_at.getTime(),
  connectedBy: row.connected_by,
  state: row.state,
  problem: row.problem ?? undefined,
  version: row.version
})

const COLUMNS = `c.user_id, c.bot_id, c.provider, c.sealed, c.key_id, c.expires_at, c.refreshable, c.account_id,
  c.account_name, c.connected_at, c.connected_by, c.state, c.problem, c.version`

const ONE = "c.user_id = $1 AND c.bot_id = $2 AND c.provider = $3"

const texts = (schema: string) => {
  const table = `${schema}.crm_connections`
  const next = `nextval('${schema}.crm_versions')`
  return {
    /**
     * Stores a connection. The foreign key locks the bot until the commit; if the bot is being deleted, the statement
     * waits for the deletion.
     */
    save: `INSERT INTO ${table} AS c (user_id, bot_id, provider, sealed, key_id, expires_at, refreshable, account_id,
        account_name, connected_at, connected_by, version)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ${next})
      ON CONFLICT (user_id, bot_id, provider) DO UPDATE SET
        sealed = excluded.sealed, key_id = excluded.key_id, expires_at = excluded.expires_at,
        refreshable = excluded.refreshable, account_id = excluded.account_id, account_name = excluded.account_name,
        connected_at = excluded.connected_at, connected_by = excluded.connected_by, state = 'connected', problem = NULL,
        version = excluded.version, lease = NULL, lease_until = NULL, tries = 0`,
    find: `SELECT ${COLUMNS} FROM ${table} c WHERE ${ONE}`,
    /**
     * Locks the bots of a person. Until the transaction ends, no connection of these bots can be created, so that a
     * deletion includes all connections.
     */
    lockBots: `SELECT b.id FROM ${schema}.bots b WHERE b.user_id = $1 AND ($2::uuid IS NULL OR b.id = $2)
      ORDER BY b.id FOR UPDATE`,
    list: `SELECT ${COLUMNS} FROM ${table} c WHERE c.user_id = $1 AND c.bot_id = $2 ORDER BY c.provider`,
    remove: `DELETE FROM ${table} c WHERE c.user_id = $1 AND ($2::uuid IS NULL OR c.bot_id = $2)
      AND ($3::text IS NULL OR c.provider = $3) RETURNING ${COLUMNS}`,
    /**
     * Claims a refresh, and also returns whether the connection exists in this version: `tries` is null if the
     * connection does not exist, or if another process holds its lease.
     */
    claim: `WITH claimed AS (
        UPDATE ${table} c SET lease = $5, lease_until = clock_timestamp() + $6::float8 * interval '1 millisecond',
          tries = c.tries + 1
        WHERE ${ONE} AND c.version = $4 AND (c.lease_until IS NULL OR c.lease_until <= clock_timestamp())
        RETURNING c.tries
      )
      SELECT (SELECT tries FROM claimed) AS tries, EXISTS (SELECT FROM ${table} c WHERE ${ONE} AND c.version = $4) AS known`,
    end: `UPDATE ${table} c SET sealed = coalesce($5, c.sealed), key_id = coalesce($6, c.key_id),
        expires_at = CASE WHEN $5::text IS NULL THEN c.expires_at ELSE $7 END,
        refreshable = CASE WHEN $5::text IS NULL THEN c.refreshable ELSE $8 END,
        state = $9, problem = $10, version = ${next}, lease = NULL, lease_until = NULL, tries = 0
      WHERE ${ONE} AND c.lease = $4 RETURNING c.version`,
    listSealed: `SELECT ${COLUMNS} FROM ${table} c WHERE c.key_id <> $1 AND ${livesHere(schema, "c.user_id")}
      AND ($2::text IS NULL OR (c.user_id, c.bot_id, c.provider) > ($2, $3::uuid, $4))
      ORDER BY c.user_id, c.bot_id, c.provider LIMIT $5`,
    reseal: `UPDATE ${table} c SET sealed = $5, key_id = $6 WHERE ${ONE} AND c.sealed = $4 RETURNING c.version`,
    count: `SELECT c.key_id, count(*) AS connections FROM ${table} c WHERE ${livesHere(schema, "c.user_id")}
      GROUP BY c.key_id ORDER BY c.key_id`
  }
}

const keyOf = ({ botId, owner, provider }: CrmConnectionName) => [owner, botId, provider]
const dateOf = (milliseconds: number | undefined) => (milliseconds === undefined ? null : new Date(milliseconds))

/** Runs `work` if the id has the form of a UUID, and returns `absent` otherwise: such an id names no bot. */
const named = <A, E, R>({ botId }: { readonly botId: string }, absent: A, work: Effect.Effect<A, E, R>) =>
  isUuid(botId) ? work : Effect.succeed(absent)

const FOREIGN_KEY_VIOLATION = "23503"

type Texts = ReturnType<typeof texts>

/** Stores a connection; returns false if the bot does not exist. */
const save = (
  database: Database["Service"],
  text: Texts,
  connection: NewCrmConnection
): Effect.Effect<boolean, DatabaseError> =>
  database
    .statementAsUser(connection.owner, text.save, [
      ...keyOf(connection),
      connection.sealed,
      connection.keyId,
      dateOf(connection.expiresAt),
      connection.refreshable,
      connection.account.id ?? null,
      connection.account.name ?? null,
      new Date(connection.connectedAt),
      connection.connectedBy
    ])
    .pipe(
      Effect.as(true),
      Effect.catchTag("DatabaseError", (error) =>
        error.sqlState === FOREIGN_KEY_VIOLATION ? Effect.succeed(false) : Effect.fail(error)
      )
    )

/** The operations that claim and end a refresh of a connection's tokens. */
const makeClaims = (
  { statementAsUser }: Database["Service"],
  text: Texts
): Pick<CrmConnectionStore["Service"], "claimRefresh" | "endRefresh"> => ({
  claimRefresh: ({ lease, leaseMs, name, version }) =>
    storing("CrmConnectionStore.claimRefresh")(
      Effect.map(
        statementAsUser<{ tries: number | null; known: boolean }>(name.owner, text.claim, [
          ...keyOf(name),
          version,
          lease,
          leaseMs
        ]),
        ([row]): RefreshClaim => {
          if (typeof row?.tries === "number") return { _tag: "Claimed", tries: row.tries }
          return row?.known === true ? { _tag: "Busy" } : { _tag: "Changed" }
        }
      )
    ),
  endRefresh: ({ lease, name, standing, tokens }) =>
    storing("CrmConnectionStore.endRefresh")(
      Effect.map(
        statementAsUser(name.owner, text.end, [
          ...keyOf(name),
          lease,
          tokens?.sealed ?? null,
          tokens?.keyId ?? null,
          dateOf(tokens?.expiresAt),
          tokens?.refreshable ?? null,
          standing.state,
          standing.problem ?? null
        ]),
        (rows) => rows.length > 0
      )
    )
})

const make = Effect.map(Database, (database) => {
  const text = texts(database.schema)
  const { statementAsUser } = database

  return CrmConnectionStore.of({
    save: (connection) =>
      storing("CrmConnectionStore.save")(named(connection, false, save(database, text, connection))),
    find: (name) =>
      storing("CrmConnectionStore.find")(
        named(
          name,
          undefined,
          Effect.map(
            statementAsUser<ConnectionRow>(name.owner, text.find, keyOf(name)),
            ([row]) => row && connectionOf(row)
          )
        )
      ),
    list: (bot) =>
      storing("CrmConnectionStore.list")(
        named(
          bot,
          [],
          Effect.map(statementAsUser<ConnectionRow>(bot.owner, text.list, [bot.owner, bot.botId]), (rows) =>
            rows.map(connectionOf)
          )
        )
      ),
    remove: ({ botId, owner, provider }: CrmConnectionsOf) =>
      storing("CrmConnectionStore.remove")(
        botId !== undefined && !isUuid(botId)
          ? Effect.succeed([])
          : Effect.map(
              database.asUser(owner, (sql) =>
                Effect.andThen(
                  provider === undefined ? sql.query(text.lockBots, [owner, botId ?? null]) : Effect.void,
                  sql.query<ConnectionRow>(text.remove, [owner, botId ?? null, provider ?? null])
                )
              ),
              (rows) => rows.map(connectionOf)
            )
      ),
    ...makeClaims(database, text)
  })
})

/** The position of a connection in a list: its owner, its bot and its provider. */
const NamePosition = Schema.Tuple([Schema.String, Schema.String, Schema.String])

const makeSealed = Effect.map(Database, ({ schema, statement }) => {
  const text = texts(schema)
  return SealedConnections.of({
    list: ({ after, limit, notBy }) =>
      storing(
        "SealedConnections.list",
        "maintenance"
      )(
        Effect.suspend(() => {
          const [owner = null, botId = null, provider = null] = positionIn(NamePosition, after) ?? []
          return Effect.map(
            statement<ConnectionRow>(text.listSealed, [notBy, owner, botId, provider, limit + 1]),
            (rows) => pageOf(rows.map(connectionOf), limit, (last) => cursorOf(last.owner, last.botId, last.provider))
          )
        })
      ),
    reseal: (connection, { keyId, sealed }) =>
      storing(
        "SealedConnections.reseal",
        "maintenance"
      )(
        Effect.map(
          statement(text.reseal, [...keyOf(connection), connection.sealed, sealed, keyId]),
          (rows) => rows.length > 0
        )
      ),
    counts: storing(
      "SealedConnections.counts",
      "maintenance"
    )(
      Effect.map(statement<{ key_id: string; connections: number }>(text.count), (rows) =>
        rows.map((row) => ({ keyId: row.key_id, connections: Number(row.connections) }))
      )
    )
  })
})

/**
 * CRM connections in Postgres or PGlite. Statements run with the rights of the connection's owner; those that change
 * the sealing key run as the service.
 */
export const PgCrmConnectionStoreLayer: Layer.Layer<CrmConnectionStore | SealedConnections, never, Database> =
  Layer.mergeAll(Layer.effect(CrmConnectionStore, make), Layer.effect(SealedConnections, makeSealed))
