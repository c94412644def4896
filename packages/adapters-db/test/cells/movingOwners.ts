import {
  ChatStore,
  CreditUpkeep,
  type Cursor,
  DocumentStore,
  FileStore,
  JobQueue,
  UnitOfWork
} from "@parley/core/adapter"
import { openStorageLayer, storagePortsFromContext } from "@parley/core/effect"
import { newDocument, newTurn, newUserId, receiptDraft, reservation, TestJob, testedLedger } from "@parley/core/testing"
import { Context, Deferred, Effect, Fiber, Layer, Schedule, type Scope } from "effect"
import { Directory } from "../../src/cells/directory/Directory.ts"
import { directorySql } from "../../src/cells/directory/directorySql.ts"
import { type MoveSql, moveSql } from "../../src/cells/directory/moveSql.ts"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { finishMove, type MoveInput, moveOwner, type MoveStep } from "../../src/cells/moving/moveOwner.ts"
import { type Cell, ownedDigests, ownerTables } from "../../src/cells/moving/ownerTables.ts"
import { isMoved } from "../../src/cells/routing/cellFailures.ts"
import { cellMarks } from "../../src/cells/routing/cellMarks.ts"
import { routeStores } from "../../src/cells/routing/routeStores.ts"
import { sharedRows } from "../../src/cells/global/sharedRows.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { installJobQueue } from "../../src/jobs/startBoss.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { endTurn } from "../../../core/src/testing/chat/endTurn.ts"
import { administer } from "../administer.ts"
import { migratedPostgres } from "../databases.ts"

const CREDITS = 1_000_000
const UNLIMITED = { maxDocuments: 1_000_000, maxDocumentBytes: 1_000_000_000_000 }
const NAMES = ["a", "b"] as const

/** All steps of a move, in their order. */
export const STEPS: ReadonlyArray<MoveStep> = [
  "checked",
  "claimed",
  "arriving",
  "cleared",
  "calm",
  "moving",
  "frozen",
  "copied",
  "placed",
  "home",
  "moved"
]

export type Stores = Context.Context<Layer.Success<ReturnType<typeof storesLayer>>>

const cellOf = (id: string, context: Context.Context<Database | DatabaseOwner>): Cell => ({
  id,
  database: Context.get(context, Database),
  owner: Context.get(context, DatabaseOwner)
})

export const cellOn = (id: string, url: string, maxConnections: number) =>
  Effect.map(Layer.build(Layer.fresh(PgDatabaseLayer({ url, maxConnections }))), (context) => cellOf(id, context))

/** A server: all stores over the cells, and those of each cell alone. */
export interface Server {
  readonly routed: Stores
  readonly cells: Readonly<Record<string, Stores>>
  readonly directory: Directory
}

export const openServer = Effect.fnUntraced(function* (
  urls: Readonly<Record<string, string>>,
  refreshMs: number | undefined
) {
  const stores: Record<string, Stores> = {}
  const open = Effect.fnUntraced(function* (id: string) {
    const layer = storesLayer().pipe(Layer.provideMerge(PgDatabaseLayer({ url: urls[id], maxConnections: 5 })))
    const context = yield* Layer.build(Layer.fresh(layer))
    const ports = yield* Effect.provideContext(storagePortsFromContext, context)
    return { cell: cellOf(id, context), context, ports }
  })
  const opened = new Map(
    yield* Effect.forEach(NAMES, (id) => Effect.map(open(id), (database) => [id as string, database] as const))
  )
  for (const [id, { context }] of opened) stores[id] = context
  const own = urls["global"] === undefined ? opened.get("a") : yield* open("global")
  if (own === undefined) return yield* Effect.die("There is no global database.")
  const cells = new Map([...opened].map(([id, { cell }]) => [id, cell]))
  const directory = new Directory(directorySql(own.cell.database), { refreshMs })
  const databases = new Map([...cells.values(), own.cell].map(({ id, database }) => [id, database]))
  const ports = new Map([...opened].map(([id, database]) => [id, database.ports]))
  const shared = sharedRows(own.cell.database, databases)
  const routedPorts = routeStores(ports, directory, own.ports, shared, cellMarks(cells))
  const routed = yield* Layer.build(openStorageLayer(routedPorts))
  return { routed: routed as unknown as Stores, cells: stores, directory } satisfies Server
})

export interface World {
  readonly cells: readonly [Cell, Cell]
  readonly directory: MoveSql
  readonly servers: ReadonlyArray<Server>
  readonly urls: Readonly<Record<string, string>>
}

/** Two cells with their fences, an endpoint for events in each, and servers that know both. */
export const openWorld = (servers: number, refreshMs?: number): Effect.Effect<World, unknown, Scope.Scope> =>
  Effect.flatMap(Effect.all({ a: migratedPostgres, b: migratedPostgres }), (urls) =>
    openWorldAt(urls, servers, refreshMs)
  )

/** The same in two databases that have every migration. */
export const openWorldAt = (
  urls: Readonly<Record<"a" | "b", string>>,
  servers: number,
  refreshMs?: number
): Effect.Effect<World, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const open = (id: "a" | "b") =>
      Effect.gen(function* () {
        const cell = yield* cellOn(id, urls[id], 4)
        yield* installJobQueue.pipe(
          Effect.provideService(Database, cell.database),
          Effect.provideService(DatabaseOwner, cell.owner)
        )
        yield* enableFence(cell)
        yield* cell.database.statement(
          `INSERT INTO ${cell.database.schema}.event_destinations (id, asked_at)
           VALUES ('webhook:x', '{"credits.charged": "now"}') ON CONFLICT DO NOTHING`
        )
        return cell
      })
    const cells = [yield* open("a"), yield* open("b")] as const
    yield* directorySql(cells[0].database).register(NAMES)
    return {
      cells,
      directory: moveSql(cells[0].database),
      servers: yield* Effect.forEach(Array(servers).keys(), () => openServer(urls, refreshMs)),
      urls
    }
  })

/** Erases what moved owners left, as a server does from time to time. */
export const eraseAll = (world: World, olderThanMs: number) =>
  Effect.forEach(world.cells, (cell) => eraseMoved(cell, olderThanMs), { discard: true })

/** The names of what was answered, by owner. */
export type Answered = Map<string, AnsweredTo>

interface AnsweredTo {
  readonly replies: Set<string>
  readonly chats: Set<string>
  readonly documents: Set<string>
}

export const newOwners = (world: World, count: number) =>
  Effect.gen(function* () {
    const answered: Answered = new Map()
    for (let number = 0; number < count; number += 1) {
      const owner = newUserId()
      const open = Effect.flatMap(testedLedger, (ledger) =>
        ledger.open({ userId: owner, tier: "free", allowance: CREDITS })
      )
      yield* Effect.provide(open, world.servers[0]?.routed as Stores)
      answered.set(owner, { replies: new Set(), chats: new Set(), documents: new Set() })
    }
    return answered
  })

export const reply = Effect.fnUntraced(function* (owner: string, replies: Set<string>) {
  const key = `reply:${crypto.randomUUID()}`
  const ledger = yield* testedLedger
  yield* ledger.reserve(reservation(owner, key, 5))
  yield* ledger.settle({ userId: owner, key, amount: 3, draft: receiptDraft })
  replies.add(key)
})

export const turn = Effect.fnUntraced(function* (owner: string, chats: Set<string>) {
  const begun = newTurn(owner)
  yield* (yield* ChatStore).beginTurn(begun)
  const { chatId, owner: of, reply: message } = begun
  yield* endTurn({ owner: of, chatId, replyId: message.id, content: "It says yes.", state: "complete" as const })
  chats.add(chatId)
})

export const upload = Effect.fnUntraced(function* (owner: string, documents: Set<string>) {
  const document = newDocument(owner)
  const work = Effect.gen(function* () {
    yield* (yield* DocumentStore).insert(document, UNLIMITED)
    yield* (yield* FileStore).write({ userId: owner, documentId: document.id, bytes: new Uint8Array(1000) })
    yield* (yield* JobQueue).enqueue(owner, TestJob, { name: document.id })
    // A transaction that stays open for a while after its last write.
    yield* Effect.repeat((yield* DocumentStore).list(owner), { times: 20 })
  })
  yield* (yield* UnitOfWork).run(owner, work)
  documents.add(document.id)
  // What was just stored is found, wherever the owner lives by now.
  const found = yield* (yield* DocumentStore).find(owner, [document.id])
  if (found.length === 0) return yield* Effect.die(new Error("A stored document was not found."))
})

/**
 * Replies, turns and uploads of all owners, one after another by each of `callers`, until `done`. A call that fails ends
 * it, except one that `isExpected`: unless given, one whose owner is not moved on for long, because the mover was killed. It is
 * repeated. Returns the milliseconds that each took, and the number of such failures.
 */
export const load = (
  { servers }: Pick<World, "servers">,
  answered: Answered,
  callers: number,
  done: Deferred.Deferred<void>,
  isExpected: (error: unknown) => boolean = isMoved
) =>
  Effect.gen(function* () {
    const durations: Array<number> = []
    let refused = 0
    const repeats = (error: unknown) => isExpected(error) && ++refused > 0
    const owners = [...answered]
    const call = (caller: number) =>
      Effect.gen(function* () {
        const { routed } = servers[caller % servers.length] as Server
        for (let round = caller; !(yield* Deferred.isDone(done)); round += 1) {
          const [owner, { chats, documents, replies }] = owners[(round * 7) % owners.length] as (typeof owners)[number]
          const one: Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof storesLayer>>> = round % 8 === 3
            ? turn(owner, chats)
            : round % 8 === 6
              ? upload(owner, documents)
              : reply(owner, replies)
          const began = performance.now()
          yield* Effect.retry(Effect.provide(one, routed), { ...RETRIES, while: repeats })
          durations.push(performance.now() - began)
        }
      })
    yield* Effect.forEach(Array(callers).keys(), call, { concurrency: "unbounded", discard: true })
    return { durations, refused }
  })

/** Long enough for a server to come back. */
const RETRIES = { times: 600, schedule: Schedule.spaced("100 millis") }

/** The value below which a share of the values are. */
export const quantile = (values: ReadonlyArray<number>, share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

/** The most that 99 of 100 calls take: a second, or more on a machine on which each call takes long. */
export const boundOf = (durations: ReadonlyArray<number>) => Math.max(1_000, 40 * quantile(durations, 0.5))

/** The move of an owner to the other cell than that of the directory. */
export const moveOf = (world: World, owner: string) =>
  Effect.map(world.directory.placement(owner), (placement): MoveInput => {
    const [a, b] = world.cells
    const [from, to] = placement.cell === "a" ? [a, b] : [b, a]
    return { owner, from, to, directory: world.directory }
  })

/**
 * Begins the move in a process of its own and kills it: at a step, or some milliseconds after it began. Its connections
 * are cut first, so that nothing of it is tidied up.
 */
export const killedMove = Effect.fnUntraced(function* (world: World, move: MoveInput, at: MoveStep | number) {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const name = `mover-${crypto.randomUUID().slice(0, 8)}`
      const url = (id: string) => `${world.urls[id]}?application_name=${name}`
      const from = yield* cellOn(move.from.id, url(move.from.id), 2)
      const to = yield* cellOn(move.to.id, url(move.to.id), 2)
      const reached = yield* Deferred.make<void>()
      const onStep = (step: MoveStep) =>
        step === at ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : Effect.void
      const fiber = yield* Effect.forkChild(Effect.exit(moveOwner({ ...move, from, to, onStep })))
      if (typeof at === "number") yield* Effect.sleep(at)
      else yield* Effect.raceFirst(Deferred.await(reached), Effect.asVoid(Fiber.await(fiber)))
      yield* Effect.promise(() =>
        administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${name}'`)
      )
      yield* Fiber.interrupt(fiber)
    })
  )
})

/** Moves an owner; tries again while a transaction is in the way. */
export const moveSoon = (move: MoveInput) =>
  Effect.retry(moveOwner(move), { while: ({ _tag }) => _tag === "OwnerBusy", times: 20 })

/** Ends a move that was killed, in the one way or the other. */
export const endMove = (move: MoveInput, way: number) =>
  way % 2 === 0 ? Effect.asVoid(moveSoon(move)) : Effect.asVoid(finishMove(move))

const differencesIn = Effect.fnUntraced(function* (stores: Stores) {
  const upkeep = Context.get(stores, CreditUpkeep)
  const differences: Array<unknown> = []
  let after: Cursor | undefined
  do {
    const chunk = yield* upkeep.verify({ limit: 100, after, since: undefined })
    differences.push(...chunk.differences)
    after = chunk.next
  } while (after !== undefined)
  return differences
})

/** The contradictions between the rows of all accounts, in all cells. */
export const verifyWorld = (world: World) =>
  Effect.map(Effect.forEach(Object.values(world.servers[0]?.cells ?? {}), differencesIn), (found) => found.flat())

const storedIn = Effect.fnUntraced(function* (
  { database: { schema, statement }, owner: { asOwner, schemaName } }: Cell,
  owner: string
) {
  const texts = (text: string) =>
    Effect.map(statement<{ text: string }>(text, [owner]), (rows) => rows.map((row) => row.text).toSorted())
  return {
    replies: yield* texts(
      `SELECT t.reference AS text FROM ${schema}.credit_transactions t
      JOIN ${schema}.credit_idempotency k ON k.user_id = t.user_id AND k.key = t.reference
      WHERE t.user_id = $1 AND t.type = 'usage' AND t.amount = -3`
    ),
    events: yield* texts(
      `SELECT data ->> 'key' AS text FROM ${schema}.event_deliveries WHERE user_id = $1 AND type = 'credits.charged'`
    ),
    chats: yield* texts(`SELECT c.id::text AS text FROM ${schema}.chats c JOIN ${schema}.messages m
      ON m.user_id = c.user_id AND m.chat_id = c.id AND m.content = 'It says yes.' AND m.state = 'complete' WHERE c.user_id = $1`),
    documents: yield* texts(`SELECT d.id::text AS text FROM ${schema}.documents d
      JOIN ${schema}.file_parts f ON f.user_id = d.user_id AND f.document_id = d.id WHERE d.user_id = $1`),
    jobs: yield* Effect.map(
      asOwner((sql) =>
        sql.query<{ text: string }>(
          `SELECT data -> 'payload' ->> 'name' AS text FROM "${schemaName}_boss".job WHERE group_id = $1`,
          [owner]
        )
      ),
      (rows) => rows.map((row) => row.text).toSorted()
    )
  }
})

/** What is stored of an owner and contradicts what was answered, or itself. `isWhole` if each stored operation was answered. */
const contradictions = (stored: Effect.Success<ReturnType<typeof storedIn>>, known: AnsweredTo, isWhole: boolean) =>
  (["replies", "chats", "documents"] as const).flatMap((name) => {
    const [found, expected] = [stored[name], [...known[name]].toSorted()]
    const lost = expected.filter((each) => !found.includes(each)).length
    const isTwice = new Set(found).size < found.length
    return lost > 0 || isTwice || (isWhole && found.length !== expected.length)
      ? [{ name, lost, stored: found.length, answered: expected.length }]
      : []
  })

/**
 * The operations that were answered and are not where they belong, and all that contradicts itself; empty if all is well.
 * `isWhole` if each operation was answered that was begun.
 */
export const faultsOf = Effect.fnUntraced(function* (world: World, answered: Answered, isWhole = true) {
  const faults: Array<unknown> = []
  const [a, b] = world.cells
  const tables = yield* a.owner.asOwner((sql) => ownerTables(sql, a.database.schema, a.owner.schemaName))
  for (const [owner, known] of answered) {
    const home = (yield* world.directory.placement(owner)).cell
    const [here, other] = home === "a" ? [a, b] : [b, a]
    const stored = yield* storedIn(here, owner)
    for (const fault of contradictions(stored, known, isWhole)) faults.push({ owner, ...fault })
    if (JSON.stringify(stored.events) !== JSON.stringify(stored.replies)) faults.push({ owner, name: "events" })
    if (JSON.stringify(stored.jobs) !== JSON.stringify(stored.documents)) faults.push({ owner, name: "jobs" })
    const left = yield* other.owner.asOwner((sql) => ownedDigests(sql, tables, owner))
    if (left.size > 0) faults.push({ owner, left: [...left.keys()] })
  }
  return [...faults, ...(yield* verifyWorld(world))]
})
