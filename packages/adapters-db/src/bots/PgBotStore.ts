import type { Bot } from "@parley/core"
import {
  type BotName,
  type BotSettings,
  BotStore,
  isUuid,
  MAX_SEEN_SITES,
  PublishedBots,
  type SeenSite,
  type StoredBot
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row, type Sql } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface BotRow extends Row {
  readonly id: string
  readonly user_id: string
  readonly settings: object
  readonly document_ids: ReadonlyArray<string>
  readonly keys: StoredBot["keys"] | null
  readonly created_at: Date
  readonly updated_at: Date
}

const storedOf = (row: BotRow): StoredBot => ({
  id: row.id,
  owner: row.user_id,
  keys: row.keys ?? [],
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  settings: { ...row.settings, documentIds: row.document_ids }
})

const botColumns = (schema: string) => `b.id, b.user_id, b.settings, b.created_at, b.updated_at,
  ARRAY(
    SELECT d.document_id FROM ${schema}.bot_documents d WHERE d.user_id = b.user_id AND d.bot_id = b.id ORDER BY d.position
  ) AS document_ids,
  (
    SELECT json_agg(
      json_build_object('publicKey', k.key, 'createdAt', (extract(epoch FROM k.created_at) * 1000)::bigint)
      ORDER BY k.created_at, k.key)
    FROM ${schema}.bot_keys k WHERE k.user_id = b.user_id AND k.bot_id = b.id
  ) AS keys`

const ONE = "b.user_id = $1 AND b.id = $2"

const texts = (schema: string) => ({
  /**
   * Makes insertions of bots of one owner run one after another, so that each counts the bots that were inserted before
   * it.
   */
  lockOwner: "SELECT pg_advisory_xact_lock(hashtextextended($1, 7070))",
  count: `SELECT count(*) AS bots FROM ${schema}.bots WHERE user_id = $1`,
  insert: `INSERT INTO ${schema}.bots (user_id, id, settings, created_at, updated_at) VALUES ($1, $2, $3::jsonb, $4, $5)`,
  /**
   * Attaches those of the named documents that exist and belong to the owner, except files of conversations. The
   * documents stay locked until the transaction ends.
   */
  addDocuments: `INSERT INTO ${schema}.bot_documents (user_id, bot_id, document_id, position)
    SELECT d.user_id, $2::uuid, d.id, named.position
    FROM unnest($3::uuid[]) WITH ORDINALITY AS named(id, position)
    JOIN ${schema}.documents d ON d.user_id = $1 AND d.id = named.id AND d.chat_id IS NULL
    ORDER BY d.id FOR KEY SHARE OF d`,
  removeDocuments: `DELETE FROM ${schema}.bot_documents WHERE user_id = $1 AND bot_id = $2`,
  addKey: `INSERT INTO ${schema}.bot_keys (user_id, bot_id, key, created_at) VALUES ($1, $2, $3, $4)`,
  removeKey: `DELETE FROM ${schema}.bot_keys WHERE user_id = $1 AND bot_id = $2 AND key = $3`,
  keys: `SELECT key FROM ${schema}.bot_keys WHERE user_id = $1 AND bot_id = $2`,
  update: `UPDATE ${schema}.bots b SET settings = b.settings || $3::jsonb, updated_at = $4 WHERE ${ONE} RETURNING b.id`,
  lock: `SELECT b.id FROM ${schema}.bots b WHERE ${ONE} FOR UPDATE`,
  find: `SELECT ${botColumns(schema)} FROM ${schema}.bots b WHERE ${ONE}`,
  list: `SELECT ${botColumns(schema)} FROM ${schema}.bots b WHERE b.user_id = $1 ORDER BY b.created_at DESC, b.id`,
  remove: `DELETE FROM ${schema}.bots b WHERE ${ONE} RETURNING b.id`,
  findByKey: `SELECT ${botColumns(schema)} FROM ${schema}.bot_keys known
    JOIN ${schema}.bots b ON b.user_id = known.user_id AND b.id = known.bot_id WHERE known.key = $1 LIMIT 1`
})

/** Runs `work` if the id has the form of a UUID, and returns `absent` otherwise: such an id names no bot. */
const named = <A, E, R>({ botId }: BotName, absent: A, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  isUuid(botId) ? work : Effect.succeed(absent)

type Texts = ReturnType<typeof texts>

const setDocuments = (text: Texts) =>
  Effect.fnUntraced(function* (sql: Sql, { botId, owner }: BotName, ids: ReadonlyArray<string>) {
    yield* sql.query(text.removeDocuments, [owner, botId])
    if (ids.length > 0) yield* sql.query(text.addDocuments, [owner, botId, ids])
  })

/** Inserts and changes bots, within a transaction that runs as their owner. */
const makeWrites = ({ schema }: Database["Service"], text: Texts) => {
  const setDocumentsOf = setDocuments(text)
  const insert = Effect.fnUntraced(function* (sql: Sql, bot: Bot, most: number) {
    const { createdAt, documentIds, id, keys, owner, updatedAt, ...settings } = bot
    yield* sql.query(text.lockOwner, [`${schema} bots ${owner}`])
    const [counted] = yield* sql.query<{ bots: number }>(text.count, [owner])
    if ((counted?.bots ?? 0) >= most) return false
    yield* sql.query(text.insert, [owner, id, JSON.stringify(settings), new Date(createdAt), new Date(updatedAt)])
    for (const key of keys) yield* sql.query(text.addKey, [owner, id, key.publicKey, new Date(key.createdAt)])
    yield* setDocumentsOf(sql, { owner, botId: id }, documentIds)
    return true
  })

  const update = Effect.fnUntraced(function* (
    sql: Sql,
    name: BotName,
    { documentIds, ...settings }: Partial<BotSettings>,
    updatedAt: number
  ) {
    const params = [name.owner, name.botId, JSON.stringify(settings), new Date(updatedAt)]
    if ((yield* sql.query(text.update, params)).length === 0) return false
    if (documentIds !== undefined) yield* setDocumentsOf(sql, name, documentIds)
    return true
  })

  return { insert, update }
}

/** The public keys of bots. */
const makeKeys = (database: Database["Service"], text: Texts): Pick<BotStore["Service"], "addKey" | "retireKey"> => {
  /** Returns the bot's keys, and locks the bot until the transaction ends; undefined if there is no such bot. */
  const lockedKeys = Effect.fnUntraced(function* (sql: Sql, { botId, owner }: BotName) {
    if ((yield* sql.query(text.lock, [owner, botId])).length === 0) return undefined
    return (yield* sql.query<{ key: string }>(text.keys, [owner, botId])).map(({ key }) => key)
  })

  return {
    addKey: (name, { createdAt, publicKey }, most) =>
      storing("BotStore.addKey")(
        named(
          name,
          "NoBot" as const,
          database.asUser(name.owner, (sql) =>
            Effect.gen(function* () {
              const keys = yield* lockedKeys(sql, name)
              if (keys === undefined) return "NoBot" as const
              if (keys.length >= most) return "Full" as const
              yield* sql.query(text.addKey, [name.owner, name.botId, publicKey, new Date(createdAt)])
              return "Added" as const
            })
          )
        )
      ),
    retireKey: (name, publicKey) =>
      storing("BotStore.retireKey")(
        named(
          name,
          "NoBot" as const,
          database.asUser(name.owner, (sql) =>
            Effect.gen(function* () {
              const keys = yield* lockedKeys(sql, name)
              if (keys === undefined) return "NoBot" as const
              if (!keys.includes(publicKey)) return "NoKey" as const
              if (keys.length === 1) return "Last" as const
              yield* sql.query(text.removeKey, [name.owner, name.botId, publicKey])
              return "Retired" as const
            })
          )
        )
      )
  }
}

const make = Effect.map(Database, (database) => {
  const text = texts(database.schema)
  const { insert, update } = makeWrites(database, text)

  return BotStore.of({
    insert: (bot, most) => storing("BotStore.insert")(database.asUser(bot.owner, (sql) => insert(sql, bot, most))),
    update: (name, change, updatedAt) =>
      storing("BotStore.update")(
        named(
          name,
          false,
          database.asUser(name.owner, (sql) => update(sql, name, change, updatedAt))
        )
      ),
    find: (name) =>
      storing("BotStore.find")(
        named(
          name,
          undefined,
          Effect.map(
            database.statementAsUser<BotRow>(name.owner, text.find, [name.owner, name.botId]),
            ([row]) => row && storedOf(row)
          )
        )
      ),
    list: (owner) =>
      storing("BotStore.list")(
        Effect.map(database.statementAsUser<BotRow>(owner, text.list, [owner]), (rows) => rows.map(storedOf))
      ),
    remove: (name) =>
      storing("BotStore.remove")(
        named(
          name,
          false,
          Effect.map(
            database.statementAsUser(name.owner, text.remove, [name.owner, name.botId]),
            (rows) => rows.length > 0
          )
        )
      ),
    ...makeKeys(database, text)
  })
})

interface SiteRow extends Row {
  readonly site: string
  readonly allowed: boolean
  readonly seen_at: Date
}

const siteTexts = (schema: string) => ({
  /**
   * Stores the site of a bot unless the bot was deleted. If the bot has too many sites of this kind, the oldest are
   * deleted.
   */
  note: `WITH pruned AS (
      DELETE FROM ${schema}.bot_sites s USING (
        SELECT o.site FROM ${schema}.bot_sites o
        WHERE o.user_id = $1 AND o.bot_id = $2 AND o.allowed = $4::boolean AND o.site <> $3
        ORDER BY o.seen_at DESC, o.site OFFSET ${MAX_SEEN_SITES - 1}
      ) old WHERE s.user_id = $1 AND s.bot_id = $2 AND s.site = old.site
    )
    INSERT INTO ${schema}.bot_sites (user_id, bot_id, site, allowed, seen_at)
    SELECT b.user_id, b.id, $3::text, $4::boolean, clock_timestamp() FROM ${schema}.bots b WHERE ${ONE}
    ON CONFLICT (user_id, bot_id, site) DO UPDATE SET allowed = EXCLUDED.allowed, seen_at = EXCLUDED.seen_at`,
  list: `SELECT site, allowed, seen_at FROM ${schema}.bot_sites WHERE user_id = $1 AND bot_id = $2
    ORDER BY seen_at DESC, site`
})

const siteOf = ({ allowed, seen_at, site }: SiteRow): SeenSite => ({
  site,
  isAllowed: allowed,
  seenAt: seen_at.getTime()
})

const makePublished = Effect.map(Database, ({ schema, statement, statementAsUser }) => {
  const { findByKey } = texts(schema)
  const sites = siteTexts(schema)
  return PublishedBots.of({
    findByKey: (publicKey, held) =>
      storing("PublishedBots.findByKey")(
        Effect.map(
          statement<BotRow>(held === undefined ? findByKey : `${findByKey} FOR KEY SHARE OF b`, [publicKey]),
          ([row]) => row && storedOf(row)
        )
      ),
    noteSite: (name, { isAllowed, site }) =>
      storing("PublishedBots.noteSite")(
        named(name, undefined, Effect.asVoid(statement(sites.note, [name.owner, name.botId, site, isAllowed])))
      ),
    sites: (name) =>
      storing("PublishedBots.sites")(
        named(
          name,
          [],
          Effect.map(statementAsUser<SiteRow>(name.owner, sites.list, [name.owner, name.botId]), (rows) =>
            rows.map(siteOf)
          )
        )
      )
  })
})

/**
 * Bots in Postgres or PGlite. Statements run with the rights of the bots' owner; statements for visitors run as the
 * service.
 */
export const PgBotStoreLayer: Layer.Layer<BotStore | PublishedBots, never, Database> = Layer.mergeAll(
  Layer.effect(BotStore, make),
  Layer.effect(PublishedBots, makePublished)
)
