import type { ExportKind } from "@parley/core/effect"
import { ChatStore } from "@parley/core/adapter"
import { newTurn, newUserId, newVisitor, type Run, suiteOn } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { Database, type DatabaseError, type Row, type Sql } from "../../src/database/Database.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { databases } from "../databases.ts"
import { ownEverything } from "../ownEverything.ts"

type Parts = Database | Layer.Success<ReturnType<typeof storesLayer>>

/**
 * The content of an export of a person's data for each table with an owner: lines of a kind, or none, with the reason.
 * A new table must be added here and to the contract of `UserExport`.
 */
const exported: Readonly<Record<string, ExportKind | { readonly none: string }>> = {
  billing_accounts: "billing",
  billing_purchases: "purchase",
  billing_subscriptions: "billing",
  bot_documents: "bot",
  bot_keys: "bot",
  bot_sites: { none: "which sites asked for a chat lately, for a bounded time" },
  bots: "bot",
  chats: "chat",
  credit_accounts: "account",
  credit_holds: { none: "what is held stands in the account, and its charge becomes a transaction" },
  credit_idempotency: { none: "its keys are the references of the transactions" },
  credit_purchases: { none: "its amounts are those of transactions with a charge" },
  credit_transactions: "transaction",
  credit_usage: { none: "sums of transactions" },
  crm_connections: "crm_connection",
  crm_spent_states: { none: "a digest of a random text, for minutes" },
  document_texts: { none: "read from the uploaded file, which is exported with the documents" },
  documents: "document",
  event_deliveries: "event",
  file_objects: { none: "where the bytes of a file lie" },
  file_parts: { none: "the bytes of files, which are exported beside the lines" },
  handovers: "conversation",
  index_statistics: { none: "counts over the texts of documents" },
  low_balances: { none: "follows from the balance" },
  messages: "message",
  passage_embeddings: { none: "computed from the texts of documents" },
  passage_generations: { none: "how documents were indexed" },
  passages: { none: "parts of the texts of documents" },
  preferences: "preferences",
  chat_images: "image",
  projects: "project",
  postings: { none: "the words of the texts of documents" },
  reindex_claims: { none: "which process indexes a document" },
  running_replies: { none: "becomes the content of a message when the reply ends" },
  running_reply_texts: { none: "becomes the content of a message when the reply ends" },
  term_statistics: { none: "counts over the texts of documents" }
}

interface OwnedTable extends Row {
  readonly table: string
  readonly columns: string
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
  readonly readable: boolean
}

/** Every table with an owner, and the operations that a person may do there. */
const ownedTables = Database.use(({ schema, statement }) =>
  statement<OwnedTable>(
    `SELECT c.oid::regclass::text AS table,
       (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity <> 'a') AS columns,
       has_table_privilege('parley_user', c.oid, 'SELECT') AS readable,
       has_table_privilege('parley_user', c.oid, 'INSERT') AS insertable,
       has_table_privilege('parley_user', c.oid, 'UPDATE') AS updatable,
       has_table_privilege('parley_user', c.oid, 'DELETE') AS deletable
     FROM pg_class c JOIN pg_attribute owner ON owner.attrelid = c.oid AND owner.attname = 'user_id'
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') ORDER BY 1`,
    [schema]
  )
)

/** The outcome of an attempt: the rows it reached, or the refusal. It is rolled back in any case. */
const reached = (userId: string, work: (sql: Sql) => Effect.Effect<ReadonlyArray<Row>, DatabaseError>) =>
  Database.use(({ asUser }) =>
    Effect.catch(
      asUser(userId, (sql) => Effect.flatMap(work(sql), (rows) => Effect.fail(rows.length))),
      (error) => Effect.succeed(typeof error === "number" ? error : (error.sqlState ?? "lost"))
    )
  )

const PERMISSION_DENIED = "42501"
const UNIQUE_VIOLATION = "23505"

const matrix = (run: Run<Parts>) => {
  it("in every table with an owner, for every operation, a person reaches their own rows only", () =>
    run(
      Effect.gen(function* () {
        const { statement } = yield* Database
        const [mine, yours] = [newUserId(), newUserId()]
        yield* ownEverything(mine)
        yield* ownEverything(yours)
        const tables = yield* ownedTables
        expect(tables.length).toBeGreaterThanOrEqual(12)
        for (const { table, columns, readable, insertable, updatable, deletable } of tables) {
          const [owned] = yield* statement(`SELECT * FROM ${table} WHERE user_id = $1`, [yours])
          expect(owned, `${table} has no row to try`).toBeDefined()
          const asBoth = (text: string) => {
            const query = (sql: Sql) => sql.query(text, [yours])
            return Effect.all([reached(mine, query), reached(yours, query)])
          }
          const expectFenced = (
            operation: string,
            allowed: boolean,
            [foreign, control]: ReadonlyArray<number | string>
          ) => {
            expect(foreign, `${operation} of ${table} by somebody else`).toBe(allowed ? 0 : PERMISSION_DENIED)
            if (allowed) expect(control, `${operation} of ${table} by the owner`).toBeGreaterThan(0)
            else expect(control, `${operation} of ${table} by the owner`).toBe(PERMISSION_DENIED)
          }
          const where = "WHERE user_id = $1"
          expectFenced("SELECT", readable, yield* asBoth(`SELECT 1 FROM ${table} ${where}`))
          expectFenced("UPDATE", updatable, yield* asBoth(`UPDATE ${table} SET user_id = user_id ${where} RETURNING 1`))
          expectFenced("DELETE", deletable, yield* asBoth(`DELETE FROM ${table} ${where} RETURNING 1`))
          const copy = `INSERT INTO ${table} (${columns}) SELECT ${columns}
            FROM jsonb_populate_record(NULL::${table}, $1::jsonb) RETURNING 1`
          const [json] = yield* statement(`SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE user_id = $1`, [yours])
          const insert = (sql: Sql) => sql.query(copy, [json?.["row"]])
          expect(yield* reached(mine, insert), `INSERT into ${table} for somebody else`).toBe(PERMISSION_DENIED)
          // The owner gets as far as the row that is there already.
          expect(yield* reached(yours, insert), `INSERT into ${table} by the owner`).toBe(
            insertable ? UNIQUE_VIOLATION : PERMISSION_DENIED
          )
        }
      })
    ))

  it("only the service counts passages, and a person reads their own statistics only", () =>
    run(
      Effect.gen(function* () {
        const { asService, schema, statement } = yield* Database
        const [mine, yours] = [newUserId(), newUserId()]
        yield* ownEverything(mine)
        yield* ownEverything(yours)
        const count = (sql: Sql) => sql.query(`SELECT ${schema}.count_generations($1)`, [yours])
        const uncount = `UPDATE ${schema}.passage_generations SET counted = counted WHERE user_id = $1 RETURNING 1`
        for (const person of [mine, yours, ""]) {
          expect(yield* reached(person, count), `counting as ${person}`).toBe(PERMISSION_DENIED)
          const touch = (sql: Sql) => sql.query(uncount, [yours])
          expect(yield* reached(person, touch), `what counting writes as ${person}`).toBe(PERMISSION_DENIED)
        }
        expect((yield* asService(count)).length).toBe(1)
        for (const table of ["index_statistics", "term_statistics"]) {
          const owners = (sql: Sql) => sql.query(`SELECT DISTINCT user_id FROM ${schema}.${table}`)
          expect(yield* Database.use(({ asUser }) => asUser(mine, owners)), table).toEqual([{ user_id: mine }])
        }
        // Neither by its own right nor by that of PUBLIC.
        const [rights] = yield* statement(
          `SELECT has_function_privilege('parley_user', p.oid, 'EXECUTE') AS person,
             EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) WHERE grantee = 0) AS everybody
           FROM pg_proc p WHERE p.pronamespace = to_regnamespace($1) AND p.proname = 'count_generations'`,
          [schema]
        )
        expect(rights).toEqual({ person: false, everybody: false })
      })
    ))

  it("for every table with an owner it is decided what an export of a person's data shows of it", () =>
    run(
      Effect.gen(function* () {
        const tables = (yield* ownedTables).map(({ table }) => table.split(".").at(-1) ?? "")
        expect(tables.toSorted()).toEqual(Object.keys(exported).toSorted())
      })
    ))

  it("an update cannot change the owner of a row", () =>
    run(
      Effect.gen(function* () {
        const [mine, yours] = [newUserId(), newUserId()]
        yield* ownEverything(mine)
        for (const { table, updatable } of yield* ownedTables) {
          if (!updatable) continue
          const give = (sql: Sql) => sql.query(`UPDATE ${table} SET user_id = $1 WHERE user_id = $2`, [yours, mine])
          expect(yield* reached(mine, give), table).toBe(PERMISSION_DENIED)
        }
      })
    ))

  it("a bot's owner reads and deletes what visitors said, and writes nothing in their place", () =>
    run(
      Effect.gen(function* () {
        const { schema, statement } = yield* Database
        const [botOwner, stranger] = [newUserId(), newUserId()]
        const visitor = newVisitor(botOwner)
        const turn = newTurn(visitor)
        yield* (yield* ChatStore).beginTurn(turn)
        const tries = (userId: string, text: string) => reached(userId, (sql) => sql.query(text, [botOwner]))
        for (const table of [`${schema}.chats`, `${schema}.messages`]) {
          const where = "WHERE user_id = $1 AND bot <> ''"
          for (const text of [`SELECT 1 FROM ${table} ${where}`, `DELETE FROM ${table} ${where} RETURNING 1`]) {
            expect(yield* tries(botOwner, text), text).toBeGreaterThan(0)
            expect(yield* tries(stranger, text), text).toBe(0)
          }
          const updates = `UPDATE ${table} SET bot = bot ${where} RETURNING 1`
          expect(yield* tries(botOwner, updates), updates).toBe(0)
        }
        const begins = `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position)
          VALUES ($1, 'b', 'v', gen_random_uuid(), 'Hi', 1) RETURNING 1`
        expect(yield* tries(botOwner, begins)).toBe(PERMISSION_DENIED)
        const [chat] = yield* statement<{ id: string }>(`SELECT id FROM ${schema}.chats WHERE user_id = $1`, [botOwner])
        const says = `INSERT INTO ${schema}.messages (user_id, bot, visitor, chat_id, position, id, role, content, state)
          VALUES ($1, '${visitor.bot}', '${visitor.visitor}', '${chat?.id}', 9, gen_random_uuid(), 'user', 'Hi', 'complete')
          RETURNING 1`
        expect(yield* tries(botOwner, says)).toBe(PERMISSION_DENIED)
      })
    ))

  it("without a user nothing is seen, and the service sees everything", () =>
    run(
      Effect.gen(function* () {
        const { asService } = yield* Database
        const userId = newUserId()
        yield* ownEverything(userId)
        for (const { table, readable } of yield* ownedTables) {
          const anybody = (sql: Sql) => sql.query(`SELECT 1 FROM ${table}`)
          expect(yield* reached("", anybody), table).toBe(readable ? 0 : PERMISSION_DENIED)
          const seen = yield* asService((sql) => sql.query(`SELECT 1 FROM ${table} WHERE user_id = $1`, [userId]))
          expect(seen.length, table).toBeGreaterThan(0)
        }
      })
    ))

  it("a person's role queues no object for deletion, but for those of the person's own deleted files", () =>
    run(
      Effect.gen(function* () {
        const { asUser, schema, statement } = yield* Database
        const userId = newUserId()
        yield* ownEverything(userId)
        const queue = `INSERT INTO ${schema}.file_garbage VALUES ('object of another person', now()) RETURNING 1`
        expect(yield* reached(userId, (sql) => sql.query(queue))).toBe(PERMISSION_DENIED)
        const discard = `DELETE FROM ${schema}.file_objects WHERE user_id = $1 RETURNING object_key`
        const [deleted] = yield* asUser(userId, (sql) => sql.query(discard, [userId]))
        const queued = `SELECT object_key FROM ${schema}.file_garbage WHERE object_key = $1`
        expect(yield* statement(queued, [deleted?.["object_key"]])).toEqual([deleted])
      })
    ))

  it("every table of the schema but the list of migrations is under row-level security, which neither role can pass", () =>
    run(
      Effect.gen(function* () {
        const { schema, statement } = yield* Database
        const open = yield* statement<{ name: string }>(
          `SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')
           AND (NOT relrowsecurity OR relowner IN ('parley_user'::regrole, 'parley_service'::regrole))`,
          [schema]
        )
        expect(open.map(({ name }) => name)).toEqual(["migrations"])
        const roles = yield* statement<{ name: string }>(
          `SELECT rolname AS name FROM pg_roles r WHERE rolname IN ('parley_user', 'parley_service')
           AND NOT (rolsuper OR rolbypassrls OR EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid)) ORDER BY 1`
        )
        expect(roles.map(({ name }) => name)).toEqual(["parley_service", "parley_user"])
      })
    ))
}

for (const { name, layer } of databases) {
  suiteOn(`Row-level policies on ${name}`, storesLayer().pipe(Layer.provideMerge(layer)), matrix)
}
