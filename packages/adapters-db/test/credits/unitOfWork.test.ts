import { assert, layer } from "@effect/vitest"
import { testedLedger } from "@parley/core/testing"
import { Effect, Fiber, Layer, Result } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

for (const { name, layer: database } of databases) {
  layer(PgCreditLedgerLayer.pipe(Layer.provideMerge(database)), { excludeTestServices: true, timeout: "120 seconds" })(
    `credits in a unit of work on ${name}`,
    (it) => {
      const setUp = Effect.gen(function* () {
        const ledger = yield* testedLedger
        const { unitOfWork } = yield* Database
        const userId = `user-${crypto.randomUUID()}`
        yield* ledger.open({ userId, tier: "free", allowance: 100 })
        const grant = (key: string, amount: number) => ledger.grant({ userId, key, type: "topup", amount })
        return { ledger, unitOfWork, userId, grant }
      })

      it.effect("operations commit with their unit of work", () =>
        Effect.gen(function* () {
          const { ledger, unitOfWork, userId, grant } = yield* setUp
          const during = yield* unitOfWork(
            Effect.gen(function* () {
              yield* grant("topup:1", 10)
              yield* grant("topup:2", 5)
              return (yield* ledger.account(userId)).topup
            })
          )
          assert.strictEqual(during, 15)
          assert.strictEqual((yield* ledger.account(userId)).topup, 15)
        })
      )

      it.effect("operations of a unit of work that fails leave nothing", () =>
        Effect.gen(function* () {
          const { ledger, unitOfWork, userId, grant } = yield* setUp
          const failed = yield* Effect.result(
            unitOfWork(Effect.andThen(grant("topup:1", 10), Effect.fail("changed my mind")))
          )
          assert.isTrue(Result.isFailure(failed))
          assert.strictEqual((yield* ledger.account(userId)).topup, 0)
          yield* grant("topup:1", 10)
          assert.strictEqual((yield* ledger.account(userId)).topup, 10)
        })
      )

      it.effect("a busy account's other callers never carry an operation out of its unit of work", () =>
        Effect.gen(function* () {
          const { ledger, unitOfWork, userId, grant } = yield* setUp
          const others = yield* Effect.forEach([1, 2, 3], (number) => Effect.forkChild(grant(`gift:${number}`, 1)))
          yield* Effect.yieldNow
          yield* Effect.result(unitOfWork(Effect.andThen(grant("topup:1", 10), Effect.fail("changed my mind"))))
          yield* Effect.forEach(others, Fiber.join)
          assert.strictEqual((yield* ledger.account(userId)).topup, 3)
        })
      )

      if (name === "PGlite") {
        it.effect("the embedded database is part of no transaction of the caller's", () =>
          Effect.gen(function* () {
            const { join } = yield* Database
            const asked = { query: () => Promise.reject(new Error("asked")) }
            const failure = yield* Effect.flip(join(asked, Effect.void))
            assert.strictEqual((failure as { problem?: string }).problem, "not-supported")
          })
        )
      }

      it.effect("a refusal that is dealt with does not undo the unit of work around it", () =>
        Effect.gen(function* () {
          const { ledger, unitOfWork, userId, grant } = yield* setUp
          yield* grant("topup:1", 10)
          yield* unitOfWork(
            Effect.gen(function* () {
              assert.isTrue(Result.isFailure(yield* Effect.result(grant("topup:1", 11))))
              yield* grant("topup:2", 5)
            })
          )
          assert.strictEqual((yield* ledger.account(userId)).topup, 15)
        })
      )
    }
  )
}
