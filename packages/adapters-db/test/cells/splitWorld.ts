/** A cell with a streaming replica, which can be split. */
import { Deferred, Effect, Fiber, type Scope } from "effect"
import { BUCKETS, bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { directorySql } from "../../src/cells/directory/directorySql.ts"
import { moveSql } from "../../src/cells/directory/moveSql.ts"
import { splitSql } from "../../src/cells/directory/splitSql.ts"
import type { Cell } from "../../src/cells/moving/ownerTables.ts"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { splitCell, type SplitInput, type SplitStep } from "../../src/cells/splitting/splitCell.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { installJobQueue } from "../../src/jobs/startBoss.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { administer } from "../administer.ts"
import { ReplicatedServer } from "../faults/ReplicatedServer.ts"
import { cellOn, openServer, type World } from "./movingOwners.ts"

export const SPLIT_STEPS: ReadonlyArray<SplitStep> = [
  "checked",
  "noted",
  "frozen",
  "followed",
  "promoted",
  "made",
  "placed",
  "settled"
]

/** The upper half of the buckets. */
export const UPPER: ReadonlyArray<number> = Array.from({ length: BUCKETS / 2 }, (_, at) => BUCKETS / 2 + at)

export const isUpper = (owner: string): boolean => bucketOf(owner) >= BUCKETS / 2

export interface SplitWorld extends World {
  readonly split: SplitInput
}

/** A migrated database as the cell "a", which is also the global database unless another one is given. */
export const prepared = Effect.fnUntraced(function* (url: string, other?: Cell) {
  const cell = yield* cellOn("a", url, 4)
  const { schema, statement } = cell.database
  const global = (other ?? cell).database
  const services = <A, E>(work: Effect.Effect<A, E, Database | DatabaseOwner>) =>
    work.pipe(Effect.provideService(Database, cell.database), Effect.provideService(DatabaseOwner, cell.owner))
  yield* services(migrate())
  yield* services(installJobQueue)
  yield* enableFence(cell)
  yield* statement(
    `INSERT INTO ${schema}.event_destinations (id, asked_at) VALUES ('webhook:x', '{"credits.charged": "now"}') ON CONFLICT DO NOTHING`
  )
  yield* directorySql(global).register(["a"])
  const [directory] = yield* global.statement(`SELECT id FROM ${schema}.directory`)
  const [own] = yield* statement(
    `INSERT INTO ${schema}.this_cell (directory, name) VALUES ($1, 'a') ON CONFLICT DO NOTHING RETURNING id`,
    [directory?.["id"]]
  )
  yield* global.statement(`UPDATE ${schema}.cells SET database_id = $1`, [own?.["id"]])
  return cell
})

/** The cell "a", which is also the global database, and its replica "b", each on a server of its own. */
export const openSplitWorld = (servers: number): Effect.Effect<SplitWorld, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => ReplicatedServer.start()),
      (started) => Effect.promise(() => started[Symbol.asyncDispose]())
    )
    const urls = { a: server.url, b: server.replicaUrl }
    const source = yield* prepared(urls.a)
    const target = yield* cellOn("b", urls.b, 4)
    const directory = moveSql(source.database)
    return {
      cells: [source, target],
      directory,
      servers: yield* Effect.forEach(Array(servers).keys(), () => openServer(urls, undefined)),
      urls,
      split: { source, target, buckets: UPPER, directory, splits: splitSql(source.database) }
    }
  })

/** Begins the split in a process of its own and kills it at a step; its connections are cut, so that nothing is tidied up. */
export const killedSplit = Effect.fnUntraced(function* ({ split, urls }: SplitWorld, at: SplitStep) {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const name = `splitter-${crypto.randomUUID().slice(0, 8)}`
      const open = (id: "a" | "b") => cellOn(id, `${urls[id]}?application_name=${name}`, 2)
      const source = yield* open("a")
      const target = yield* open("b")
      const reached = yield* Deferred.make<void>()
      const onStep = (step: SplitStep) =>
        step === at ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : Effect.void
      const directory = moveSql(source.database)
      // A killed process cancels nothing.
      const splits = { ...splitSql(source.database), cancel: () => Effect.die("killed") }
      const fiber = yield* Effect.forkChild(
        Effect.exit(splitCell({ ...split, source, target, directory, splits, onStep }))
      )
      yield* Effect.raceFirst(Deferred.await(reached), Effect.asVoid(Fiber.await(fiber)))
      const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${name}'`
      yield* Effect.promise(() => Promise.all(Object.values(urls).map((url) => administer(cut, undefined, url))))
      yield* Fiber.interrupt(fiber)
    })
  )
})
