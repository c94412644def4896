/** A cell after a split: half of the people live in another cell, and all that they left is here and due for work. */
import { ObjectStore } from "@parley/core/adapter"
import { inMemoryObjects, receiptDraft, reservation, TestJob, testedLedger } from "@parley/core/testing"
import { Context, Effect, Layer } from "effect"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { type Cell, type OwnerTable, ownerTables } from "../../src/cells/moving/ownerTables.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { JOBS_QUEUE, JOBS_QUEUE_POLICY } from "../../src/jobs/jobSql.ts"
import { installJobQueue } from "../../src/jobs/startBoss.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { migratedPostgres } from "../databases.ts"

/** A day, and the ages of what is removed and archived. */
export const DAY_MS = 86_400_000
export const REMOVED_DAYS = 300
export const ARCHIVED_DAYS = 100

const OPEN_AT_ONCE = 200

/** An account on the tier "free", and a hold that expires at once. */
const openAccounts = (owners: ReadonlyArray<string>) =>
  Effect.flatMap(testedLedger, (ledger) =>
    Effect.forEach(
      owners,
      (userId) =>
        Effect.andThen(
          ledger.open({ userId, tier: "free", allowance: 1_000 }),
          ledger.reserve(reservation(userId, "reply:lost", 5, { ttlMs: 1, draft: receiptDraft }))
        ),
      { concurrency: OPEN_AT_ONCE, discard: true }
    )
  )

/**
 * Rows of each person of `people (id, number, is_left)` on which work over all people is due. What was left is older, so
 * that it comes first.
 */
const dueRows = (schema: string, boss: string): ReadonlyArray<string> => {
  const age = (days: number) => `now() - ${days} * interval '1 day' - is_left::integer * interval '1 hour'`
  const chats = (days: number) => [
    `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position, updated_at)
     SELECT id, bot, bot, gen_random_uuid(), 'Unused', 1, ${age(days)} FROM public.people, (VALUES (''), ('bot')) AS b(bot)`
  ]
  const events = (days: number) => `INSERT INTO ${schema}.payment_events
      (event_id, kind, created_at, received_at, owner, state, note, payload)
    SELECT 'event-${days}-' || id, 'paid', ${age(days)}, ${age(days)}, id, 'applied', '', '{}' FROM public.people`
  const deliveries = (destination: string, state: string, days: number) => `INSERT INTO ${schema}.event_deliveries
      (user_id, event_id, destination, type, created_at, data, state, due_at, ended_at)
    SELECT id, 'event-' || id || '-${state}', '${destination}', 'credits.charged', ${age(days)}, '{}', '${state}', ${age(days)},
      ${state === "pending" ? "NULL" : age(days)} FROM public.people`
  const jobs = (state: string) => `INSERT INTO ${boss}.job
      (name, policy, data, state, group_id, singleton_key, retry_limit, created_on, start_after, started_on, completed_on, heartbeat_on)
    SELECT '${JOBS_QUEUE}', '${JOBS_QUEUE_POLICY}',
      jsonb_build_object('kind', '${TestJob.tag}', 'payload', jsonb_build_object('name', '${state}')),
      '${state}', id, '${state} ' || id, 1, ${age(50)}, ${age(50)}, ${age(50)},
      CASE '${state}' WHEN 'completed' THEN ${age(50)} END, ${age(50)} FROM public.people WHERE number % 10 < 2`
  return [
    ...chats(2 * REMOVED_DAYS),
    ...chats(2 * ARCHIVED_DAYS),
    `WITH running AS (
      INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position)
      SELECT id, '', '', gen_random_uuid(), 'Running', 1 FROM public.people RETURNING user_id, id
    ), replies AS (
      INSERT INTO ${schema}.messages (user_id, bot, visitor, chat_id, position, id, role, content, state)
      SELECT user_id, '', '', id, 1, id, 'assistant', '', 'streaming' FROM running
    ) INSERT INTO ${schema}.running_replies
      (user_id, bot, visitor, chat_id, reply_id, payer, hold_key, model, joinable, length, expires_at)
      SELECT user_id, '', '', id, id, user_id, 'reply:gone', 'model', false, 0, now() FROM running`,
    `INSERT INTO ${schema}.chat_images (user_id, id, media_type, width, height, bytes, created_at)
     SELECT id, gen_random_uuid(), 'image/png', 1, 1, 'image', ${age(50)} FROM public.people`,
    `INSERT INTO ${schema}.documents
       (user_id, id, filename, type, bytes, status, progress, passages, created_at, bot, visitor, chat_id)
     SELECT c.user_id, gen_random_uuid(), 'a.txt', 'txt', 1, 'ready', 1, 0, ${age(50)}, c.bot, c.visitor, c.id
     FROM public.people JOIN ${schema}.chats c ON c.user_id = people.id AND c.bot <> '' WHERE number % 10 < 2
       AND c.updated_at < now() - ${REMOVED_DAYS} * interval '1 day'`,
    `WITH documents AS (
      INSERT INTO ${schema}.documents (user_id, id, filename, type, bytes, status, progress, passages, created_at)
      SELECT id, gen_random_uuid(), 'b.txt', 'txt', 1, 'ready', 1, 0, ${age(50)} FROM public.people RETURNING user_id, id
    ), claims AS (
      INSERT INTO ${schema}.reindex_claims (user_id, document_id, holder, expires_at) SELECT user_id, id, id, now() FROM documents
    ) INSERT INTO ${schema}.file_parts (user_id, document_id, part, bytes) SELECT user_id, id, 0, 'b' FROM documents`,
    events(2 * REMOVED_DAYS),
    events(2 * ARCHIVED_DAYS),
    `INSERT INTO ${schema}.event_destinations (id, asked_at) VALUES ('hook:x', '{}'), ('hook:gone', '{}')`,
    deliveries("hook:x", "pending", 1),
    deliveries("hook:x", "delivered", 500),
    deliveries("hook:x", "dead", 2),
    deliveries("hook:gone", "pending", 1),
    deliveries("feed", "pending", 1),
    jobs("created"),
    jobs("active"),
    jobs("completed")
  ]
}

const leave = (schema: string): ReadonlyArray<string> => [
  `INSERT INTO ${schema}.moved_owners (person, state, cell, version, remains, at)
   SELECT id, 'moved', 'b', 1, true, now() - interval '1 day' FROM public.people WHERE is_left`,
  `UPDATE ${schema}.credit_accounts SET moved = true FROM public.people WHERE id = user_id AND is_left`,
  // People who are being moved away one by one: nothing changes their rows either.
  `INSERT INTO ${schema}.moved_owners (person, state, cell, version) SELECT id, 'moving', 'b', 1 FROM public.people WHERE number = 1`,
  `UPDATE ${schema}.credit_accounts SET moved = true FROM public.people WHERE id = user_id AND number = 1`,
  "UPDATE public.people SET is_left = true WHERE number = 1"
]

/**
 * A cell with so many people, of whom half have left and one is leaving, and its stores. `onError` gets the failures of the
 * work on jobs.
 */
export const openSplitCell = (count: number, onError: (error: unknown) => void) =>
  Effect.gen(function* () {
    const url = yield* migratedPostgres
    const database = PgDatabaseLayer({ url, maxConnections: 5 })
    const stores = storesLayer({ concurrency: 8, pollingIntervalSeconds: 0.5, onError }).pipe(
      Layer.provide(Layer.succeed(ObjectStore, inMemoryObjects())),
      Layer.provideMerge(database)
    )
    const context = yield* Layer.build(Layer.fresh(stores))
    const cell: Cell = { id: "a", database: Context.get(context, Database), owner: Context.get(context, DatabaseOwner) }
    const { schema } = cell.database
    yield* Effect.provideContext(installJobQueue, context)
    const owners = Array.from({ length: count }, (_, index) => `person-${index + 1}`)
    yield* Effect.provideContext(openAccounts(owners), context)
    const { execute, schemaName } = cell.owner
    yield* execute(`CREATE TABLE public.people AS SELECT 'person-' || number AS id, number, number % 2 = 0 AS is_left
      FROM generate_series(1, ${count}) AS number`)
    for (const text of [...dueRows(schema, `"${schemaName}_boss"`), ...leave(schema), "ANALYZE"]) yield* execute(text)
    yield* enableFence(cell)
    return { cell, context }
  })

/** The number and a digest of the rows of some people, by table. `who` is a condition on `people`. */
export const digestsOf = (cell: Cell, who: string) =>
  cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const tables: ReadonlyArray<OwnerTable> = yield* ownerTables(sql, cell.database.schema, cell.owner.schemaName)
      const digests: Record<string, unknown> = {}
      for (const { name, ownerColumn, sqlName } of tables) {
        if (ownerColumn === null) continue
        const [row] = yield* sql.query<{ rows: number }>(
          `SELECT count(*)::integer AS rows, sum(hashtextextended(copied_row__::text, 0)::numeric)::text AS digest
           FROM ${sqlName} AS copied_row__ WHERE ${ownerColumn} IN (SELECT id FROM public.people WHERE ${who})`
        )
        if (row !== undefined && row.rows > 0) digests[name] = row
      }
      return digests
    })
  )
