/** The proofs of credits over four cells: random histories, races, and faults at each request. */
import { creditLedgerModelTest, ledgerOfStores } from "@parley/core/testing"
import { Context, Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { playCapped, playRound, race } from "../credits/reserveRace.ts"
import type { OpenProcess } from "../credits/torture.ts"
import { everyFault, tortureSuite } from "../credits/tortureSuite.ts"
import { hasPostgres } from "../databases.ts"
import { cellProcess, fourDatabases, giveBuckets } from "./cellProcesses.ts"

const databaseAt = (url: string) =>
  Effect.map(Layer.build(Layer.fresh(PgDatabaseLayer({ url, maxConnections: 2 }))), (context) =>
    Context.get(context, Database)
  )

const processes = (count: number, maxConnections: number, clock: "caller" | "database") =>
  Effect.gen(function* () {
    const urls = yield* fourDatabases
    const opened = yield* Effect.forEach(Array(count).keys(), () => cellProcess(urls, maxConnections, clock))
    if (opened[0] !== undefined) yield* giveBuckets(opened[0])
    const databases = yield* Effect.forEach(Object.values(urls), databaseAt)
    return opened.map((stores) => ({ ledger: ledgerOfStores(stores), databases }))
  })

describe.runIf(hasPostgres)("over four cells", () => {
  creditLedgerModelTest(
    "Postgres, three processes over four cells",
    Effect.map(processes(3, 3, "caller"), (opened) => opened.map(({ ledger }) => ledger)),
    { histories: 1_000 }
  )
})

describe.runIf(hasPostgres)("fifty callers for one balance over four cells", { timeout: 400_000 }, () => {
  const open = (count: number, maxConnections: number) => processes(count, maxConnections, "database")
  for (const [title, play] of [["one balance", playRound] as const, ["a daily cap", playCapped] as const])
    for (const count of [1, 6])
      it(`as many are served as ${title} pays for, in ${count} processes`, () => race(50, count, 3, play, open))
})

/** A process whose accounts are all in the second cell. The way to that database alone can fail. */
const inSecondCell = Effect.map(
  fourDatabases,
  (others): OpenProcess =>
    (url) =>
      Effect.gen(function* () {
        const stores = yield* cellProcess({ ...others, b: url }, 4, "caller")
        yield* giveBuckets(stores, "b")
        return {
          ledger: ledgerOfStores(stores),
          database: yield* databaseAt(url),
          inUnit: (userId, work) => stores.unitOfWork.run(userId, work)
        }
      })
)

tortureSuite(
  "every request of an operation over four cells refused, and its connection cut, once",
  false,
  everyFault,
  () => inSecondCell
)
