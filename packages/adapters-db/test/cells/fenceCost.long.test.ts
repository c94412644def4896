/** The cost of the fence for a reply, by the processor time of the database, in interleaved rounds on one database. */
import { newUserId, receiptDraft, reservation, testedLedger } from "@parley/core/testing"
import { Context, Effect, Layer } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { countProcessorTime } from "../../../bench/src/measuring/processorTime.ts"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { installJobQueue } from "../../src/jobs/startBoss.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const ROUNDS = 100
const PAIRS = 400
const FENCED = `SELECT format('ALTER TABLE %s %%s TRIGGER %I;', tgrelid::regclass, tgname) AS change
  FROM pg_trigger WHERE tgname LIKE 'fenced%'`

/** Pairs of reserve and settle on a fenced database, one after another. */
const openPairs = Effect.gen(function* () {
  const url = yield* migratedPostgres
  const context = yield* Layer.build(Layer.provideMerge(storesLayer(), PgDatabaseLayer({ url, maxConnections: 2 })))
  const cell = { id: "a", database: Context.get(context, Database), owner: Context.get(context, DatabaseOwner) }
  yield* Effect.provideContext(installJobQueue, context)
  yield* enableFence(cell)
  const client = new pg.Client({ connectionString: url })
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect()),
    () => Effect.promise(() => client.end())
  )
  const ledger = yield* Effect.provide(testedLedger, context)
  const users = Array.from({ length: 200 }, () => newUserId())
  for (const userId of users) yield* ledger.open({ userId, tier: "free", allowance: 1_000_000 })
  let number = 0
  const pair = Effect.gen(function* () {
    const userId = users[number++ % users.length] ?? ""
    const key = `reply:${number}`
    yield* ledger.reserve(reservation(userId, key, 5))
    yield* ledger.settle({ userId, key, amount: 3, draft: receiptDraft })
  })
  return { client, pairs: (count: number) => Effect.repeat(pair, { times: count - 1 }) }
})

const meanOf = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

describe.runIf(hasPostgres)("the fence", () => {
  it("costs a pair of reserve and settle at most 2 % of the database's time", { timeout: 1_800_000 }, (test) =>
    Effect.gen(function* () {
      const { client, pairs } = yield* openPairs
      const { rows } = yield* Effect.promise(() => client.query<{ change: string }>(FENCED))
      const measure = (verb: "DISABLE" | "ENABLE") =>
        Effect.gen(function* () {
          yield* Effect.promise(() => client.query(rows.map(({ change }) => change.replace("%s", verb)).join("")))
          yield* pairs(40)
          const stop = yield* Effect.promise(() => countProcessorTime(client))
          yield* pairs(PAIRS)
          return (yield* Effect.promise(stop)).server ?? expect.fail("The server runs on another machine.")
        })
      yield* pairs(500)
      const more: Array<number> = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const order = round % 2 === 0 ? (["DISABLE", "ENABLE"] as const) : (["ENABLE", "DISABLE"] as const)
        const times = new Map<string, number>()
        for (const verb of order) times.set(verb, yield* measure(verb))
        more.push(100 * Math.log((times.get("ENABLE") ?? 0) / (times.get("DISABLE") ?? 0)))
      }
      const mean = meanOf(more)
      const error = Math.sqrt(meanOf(more.map((each) => (each - mean) ** 2)) / (ROUNDS - 1))
      const percent = (value: number) => Math.round(value * 100) / 100
      yield* Effect.promise(() => test.annotate(JSON.stringify({ percent: percent(mean), error: percent(error) })))
      // Above by more than chance.
      expect(mean - 2 * error).toBeLessThan(2)
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
