import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TaskRuns } from "../../src/background/TaskRuns.ts"
import { Accounts } from "../../src/credits/Accounts.ts"
import { CreditUpkeep } from "../../src/credits/CreditLedger.ts"
import { CreditService } from "../../src/credits/CreditService.ts"
import { DailyVerification } from "../../src/credits/upkeep/DailyVerification.ts"
import { UserId } from "../../src/identity/UserId.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"

/** A ledger with one account whose balance differs from its rows. */
const broken = Layer.effect(
  CreditUpkeep,
  Effect.map(CreditUpkeep, (upkeep) => ({
    ...upkeep,
    verify: () =>
      Effect.succeed({
        accounts: 1,
        next: undefined,
        differences: [{ userId: UserId.make("ann"), invariant: "sum of amounts" as const, expected: 100, found: 90 }]
      })
  }))
).pipe(Layer.provideMerge(inMemoryStorageLayer))

it.effect(
  "of two processes one verifies in a day; a difference is counted, logged as an error and kept for operators",
  () => {
    const logged: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => void logged.push(line))
    return Effect.gen(function* () {
      const { verifyIfDue } = yield* DailyVerification
      const found = yield* Effect.all([verifyIfDue, verifyIfDue], { concurrency: "unbounded" })
      assert.sameMembers([...found], [1, undefined])
      const ended = yield* (yield* TaskRuns).ended
      assert.deepStrictEqual(
        ended.map(({ findings, task }) => ({ findings, task })),
        [{ findings: 1, task: "verify" }]
      )
      assert.match(logged.join("\n"), /Balances differ.*"level":"ERROR"/)
    }).pipe(
      Effect.provide(
        DailyVerification.layer.pipe(
          Layer.provide(CreditService.layer),
          Layer.provide(Accounts.layer),
          Layer.provideMerge(broken),
          Layer.provide(Layer.succeed(Catalog, makeCatalog())),
          Layer.provideMerge(Logger.layer([logger]))
        )
      )
    )
  }
)
