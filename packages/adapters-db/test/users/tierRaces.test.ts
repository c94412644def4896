import { Catalog, OperatorTiers } from "@parley/core/effect"
import { CreditRecords } from "@parley/core/adapter"
import { defaultCatalog } from "@parley/core"
import { newUserId, testedLedger } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const SERVERS = 3
const PEOPLE = 8
const TIERS = ["pro", "free", "business", "pro", "free", "business", "free", "pro"]
const SPENT = 5

const creditsOf = (tier: string): number =>
  defaultCatalog.tiers.find(({ name }) => name === tier)?.monthlyCredits ?? expect.fail(tier)

describe.runIf(hasPostgres)("changes of one person's tier by back ends, on several servers at once", () => {
  it("grant the credits of the highest tier once, and move no date", () =>
    Effect.gen(function* () {
      const url = yield* migratedPostgres
      const server = OperatorTiers.layer.pipe(
        Layer.provide(Layer.succeed(Catalog, defaultCatalog)),
        Layer.provideMerge(storesLayer()),
        Layer.provide(PgDatabaseLayer({ url, maxConnections: 6 }))
      )
      const servers = yield* Effect.all(Array.from({ length: SERVERS }, () => Layer.build(Layer.fresh(server))))
      const on = <A, E>(index: number, work: Effect.Effect<A, E, Layer.Success<typeof server>>) =>
        Effect.provideContext(work, servers[index % SERVERS] ?? expect.fail("no server"))

      const person = Effect.fnUntraced(function* (index: number) {
        const userId = newUserId()
        const account = CreditRecords.use((records) => records.account(userId))
        yield* on(
          index,
          Effect.flatMap(testedLedger, (ledger) => ledger.open({ userId, tier: "free", allowance: creditsOf("free") }))
        )
        const { nextResetAt } = yield* on(index, account)
        const changes = TIERS.map((tier, turn) =>
          on(
            turn,
            OperatorTiers.use((tiers) => tiers.set({ userId, tier, pin: false, period: "current" }))
          )
        )
        const spends = TIERS.map((_, turn) =>
          on(
            turn + 1,
            Effect.flatMap(testedLedger, (ledger) =>
              ledger.adjust({ userId, key: `spend-${turn}`, amount: -SPENT, reason: "spent" })
            )
          )
        )
        yield* Effect.all([...changes, ...spends], { concurrency: "unbounded", discard: true })
        const after = yield* on(index + 1, account)
        return { credits: after.allowance - after.debt, moved: after.nextResetAt !== nextResetAt }
      })
      const people = yield* Effect.forEach(Array(PEOPLE).keys(), person, { concurrency: 4 })
      const expected = { credits: creditsOf("business") - TIERS.length * SPENT, moved: false }
      expect(people).toEqual(people.map(() => expected))
    }).pipe(Effect.scoped, Effect.runPromise))
})
