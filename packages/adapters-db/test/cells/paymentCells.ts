/** Payments over two cells, of which the first is also the global database: servers, stories, and what is stored of one. */
import { BillingUpkeep, PaymentEventStore } from "@parley/core/adapter"
import { PaymentInbox } from "@parley/core/effect"
import {
  type BillingAct,
  billingUnderTest,
  BillingWorld,
  deliver,
  STORY_START,
  testedLedger
} from "@parley/core/testing"
import { Context, Effect, Exit, Layer, Option, Result, Scope } from "effect"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { moveSql } from "../../src/cells/directory/moveSql.ts"
import { splitSql } from "../../src/cells/directory/splitSql.ts"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { type Moves, openMoves } from "../../src/cells/moving/openMoves.ts"
import type { Cell } from "../../src/cells/moving/ownerTables.ts"
import { type CellMarks, cellMarks } from "../../src/cells/routing/cellMarks.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { installJobQueue } from "../../src/jobs/startBoss.ts"
import { migratedPostgres } from "../databases.ts"
import { type Fault, FaultyWire } from "../faults/FaultyWire.ts"
import { CellDatabases, routedOver } from "./routedStores.ts"

const NEVER = { refreshMs: Number.POSITIVE_INFINITY }

/** The inbox of one server process over the cells. */
const serverOver = (urls: ReadonlyArray<string>, marks: CellMarks) => {
  const databases = urls.map((url) => Layer.orDie(PgDatabaseLayer({ url, maxConnections: 8 })))
  const stores = Layer.orDie(routedOver(databases, { ...NEVER, marks }))
  return Layer.build(Layer.fresh(Layer.provideMerge(billingUnderTest(stores), stores)))
}

export type Server = Effect.Success<ReturnType<typeof serverOver>>

/** Two servers over the same cells, one of them by a wire that can fail. */
export interface PaymentCells {
  readonly wire: FaultyWire
  /** By the wire. */
  readonly tried: Server
  readonly other: Server
  readonly move: Moves["move"]
  readonly eraseMoved: Moves["eraseMoved"]
  close(): Promise<void>
}

/** The cells with their fences, as moves need them. */
const fencedCells = (urls: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const cells = new Map<string, Cell>()
    for (const [at, url] of urls.entries()) {
      const context = yield* Layer.build(Layer.fresh(PgDatabaseLayer({ url, maxConnections: 4 })))
      const [database, owner] = [Context.get(context, Database), Context.get(context, DatabaseOwner)]
      const cell = { id: `cell-${at + 1}`, database, owner }
      yield* Effect.provideContext(Effect.andThen(installJobQueue, enableFence(cell)), context)
      cells.set(cell.id, cell)
    }
    return cells
  })

export const openPaymentCells = async (): Promise<PaymentCells> => {
  const scope = Scope.makeUnsafe()
  const open = Effect.gen(function* () {
    const urls = [yield* migratedPostgres, yield* migratedPostgres]
    const wire = yield* Effect.acquireRelease(
      Effect.promise(() => FaultyWire.open(urls[0] ?? "")),
      (opened) => Effect.promise(() => opened[Symbol.asyncDispose]())
    )
    const fenced = yield* fencedCells(urls)
    const marks = cellMarks(fenced)
    const other = yield* serverOver(urls, marks)
    const tried = yield* serverOver(
      urls.map((url) => wire.through(url)),
      marks
    )
    const global = fenced.get("cell-1")
    if (global === undefined) throw new Error("There is no first cell.")
    const { eraseMoved, move } = openMoves(fenced, moveSql(global.database), splitSql(global.database), Effect.void)
    return { wire, other, tried, move, eraseMoved, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  })
  return Effect.runPromise(Scope.provide(open, scope))
}

export const run = <A, E, R>(on: Server, work: Effect.Effect<A, E, R>): Promise<A> =>
  Effect.runPromise(Effect.provideContext(work, on as Context.Context<R>))

/** A purchase, a refund of a part, which names the customer alone, and a dispute, which names the payment alone. */
export const PURCHASE: ReadonlyArray<BillingAct> = [
  { _tag: "buy", payment: "now" },
  { _tag: "refund", nth: 0, part: 300 },
  { _tag: "dispute", nth: 0, isWon: false }
]

/** The acts of a new person in a cell, 0 or 1, and their events. */
export const storyIn = (cell: number, acts = PURCHASE) => {
  let name = crypto.randomUUID()
  while (bucketOf(`user-${name}`) % 2 !== cell) name = crypto.randomUUID()
  const world = new BillingWorld(name, STORY_START)
  for (const act of acts) world.act(act, 3_600_000)
  const { allowance, tier, topup } = world.expected(STORY_START, world.now)
  return { name, userId: `user-${name}`, events: world.events, world, account: { allowance, tier, topup } }
}

/** All orders of some items. */
export const ordersOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length < 2
    ? [items]
    : items.flatMap((item, at) => ordersOf(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]))

/** Delivers an event again until it is taken, as the provider does; returns the answer. */
export const insist = async (on: Server, event: Parameters<typeof deliver>[0]) => {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const taken = await run(on, Effect.result(deliver(event)))
    if (Result.isSuccess(taken)) return taken.success
  }
  const last = await run(on, Effect.result(deliver(event)))
  throw new Error("The event was never taken.", { cause: Result.isFailure(last) ? last.failure : undefined })
}

/** Time after which other work counts as waiting for a lock. */
const WAIT_MS = 40

/** Runs other work to its end before the request with a number, or until it waits for a lock of this one. */
export const between = async (
  wire: FaultyWire,
  request: number,
  work: Effect.Effect<unknown, unknown>,
  others: () => Promise<unknown>
) => {
  let begun: Promise<unknown> | undefined
  let number = 0
  wire.start(new Map(), async () => {
    number += 1
    if (number - 1 !== request || begun !== undefined) return
    let isDone = false
    begun = others().finally(() => (isDone = true))
    const until = performance.now() + WAIT_MS
    while (!isDone && performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
  })
  const ended = await Effect.runPromise(Effect.result(work))
  await begun
  await wire.settled()
  wire.start()
  return { ended, wasReached: begun !== undefined }
}

/** Requests that a process may send before it notices that it has ended. */
const SENT_LATER = 500

/** The end of a process: its last request, counted from 0, and whether that arrives and is run. */
export interface ProcessEnd {
  readonly last: number
  readonly how: "cut before" | "cut after"
}

export const ENDS: ReadonlyArray<ProcessEnd["how"]> = ["cut before", "cut after"]

/**
 * Runs work by the wire in a process that ends with one request: nothing that it sends later arrives, on any connection, and
 * nothing of it is repeated. `before` runs before each request. Returns the answer, if the process did not end before.
 */
export const endingAt = async <A, E, R>(
  { tried, wire }: PaymentCells,
  { how, last }: ProcessEnd,
  work: Effect.Effect<A, E, R>,
  before: (request: number) => Promise<void> = () => Promise.resolve()
): Promise<{ readonly answer: Option.Option<A>; readonly wasReached: boolean }> => {
  const ended = Promise.withResolvers<void>()
  let sent = 0
  const later = Array.from({ length: SENT_LATER }, (_, at) => [last + 1 + at, "cut before"] as const)
  wire.start(new Map<number, Fault>([[last, how], ...later]), async () => {
    const request = sent
    sent += 1
    if (request > last) ended.resolve()
    else await before(request)
  })
  const end = Effect.as(
    Effect.promise(() => ended.promise),
    Option.none<A>()
  )
  const answer = await run(tried, Effect.raceFirst(Effect.option(work), end))
  await wire.settled()
  wire.start()
  return { answer, wasReached: sent > last }
}

/** Applies events that wait although their person is known, as background work does. */
export const catchUp = (on: Server): Promise<void> =>
  run(
    on,
    Effect.gen(function* () {
      const { stranded } = yield* BillingUpkeep
      const inbox = yield* PaymentInbox
      for (const id of yield* stranded(100))
        yield* Effect.catchTag(inbox.replay(id), "PaymentEventNotFound", () => Effect.void)
    })
  )

/** Rows about a story in one database. */
interface Stored {
  readonly events: ReadonlyArray<string>
  readonly waits: number
  readonly linked: ReadonlyArray<string>
  readonly purchases: number
  readonly transactions: number
  readonly claimed: ReadonlyArray<string>
}

/** Returns all rows that each database stores of a story. The names of references and events leave out the story's name. */
export const storedOf = (on: Server, { name, userId }: { readonly name: string; readonly userId: string }) =>
  run(
    on,
    Effect.gen(function* () {
      const { databases } = yield* CellDatabases
      return yield* Effect.forEach(databases, ({ schema, statement }) =>
        Effect.map(
          statement<Stored & Record<string, unknown>>(
            `SELECT ARRAY(
               SELECT concat_ws(' ', replace(e.event_id, $1, ''), e.state, replace(e.owner, $1, ''))
               FROM ${schema}.payment_events e WHERE strpos(e.event_id, $1) > 0 ORDER BY e.event_id) AS events,
             (SELECT count(*) FROM ${schema}.payment_waits w WHERE strpos(w.event_id, $1) > 0) AS waits,
             ARRAY(SELECT concat_ws(' ', replace(r.reference, $1, ''), replace(r.owner, $1, ''))
               FROM ${schema}.payment_references r WHERE strpos(r.reference, $1) > 0 AND r.owner IS NOT NULL ORDER BY r.reference) AS linked,
             (SELECT count(*) FROM ${schema}.billing_purchases p WHERE p.user_id = $2) AS purchases,
             (SELECT count(*) FROM ${schema}.credit_transactions t WHERE t.user_id = $2) AS transactions,
             ARRAY(SELECT concat_ws(' ', replace(o.reference, $1, ''), replace(o.owner, $1, ''))
               FROM ${schema}.payment_owners o WHERE strpos(o.reference, $1) > 0 AND o.owner IS NOT NULL AND NOT starts_with(o.reference, 'event:')
               ORDER BY o.reference) AS claimed`,
            [name, userId]
          ),
          ([row]) => row as Stored
        )
      )
    })
  )

/** All references that a person has claimed in any database, events included. */
export const claimsOf = (on: Server, userId: string) =>
  run(
    on,
    Effect.gen(function* () {
      const { databases } = yield* CellDatabases
      const found = yield* Effect.forEach(databases, ({ schema, statement }) =>
        statement<{ reference: string }>(`SELECT reference FROM ${schema}.payment_owners WHERE owner = $1`, [userId])
      )
      return found.flat().map(({ reference }) => reference)
    })
  )

/** The balance of a person, and the differences that a verification finds. */
export const balanceOf = (on: Server, userId: string) =>
  run(
    on,
    Effect.gen(function* () {
      const ledger = yield* testedLedger
      const { allowance, debt, tier, topup } = yield* ledger.account(userId)
      const { differences } = yield* ledger.verify({ limit: 1, after: undefined, userId })
      return { allowance, debt, tier, topup, differences }
    })
  )

/** The states of events as `find` returns them. */
export const statesOf = (on: Server, ids: ReadonlyArray<string>) =>
  run(
    on,
    Effect.map(
      PaymentEventStore.use((store) => store.find(ids)),
      (found) => new Map(found.map(({ id, state }) => [id, state]))
    )
  )
