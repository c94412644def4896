import { assert, layer } from "@effect/vitest"
import { testedLedger } from "@parley/core/testing"
import { Catalog, HoldSweeper, ResetService } from "@parley/core/effect"
import { PgTaskRunsLayer } from "../../src/background/PgTaskRuns.ts"
import { makeCatalog } from "@parley/core"
import { reservation } from "@parley/core/testing"
import { Clock, Effect, Layer } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

const MONTH = 32 * 24 * 3_600_000

const open = Effect.fnUntraced(function* (count: number) {
  const ledger = yield* testedLedger
  const people = Array.from({ length: count }, () => `user-${crypto.randomUUID()}`)
  for (const userId of people) yield* ledger.open({ userId, tier: "free", allowance: 100 })
  return people
})

/** Leaves a hold of each that has expired, with text that was delivered. */
const die = Effect.fnUntraced(function* (people: ReadonlyArray<string>) {
  const ledger = yield* testedLedger
  for (const userId of people) yield* ledger.reserve(reservation(userId, "reply:1", 20, { ttlMs: 1 }))
  const holds = people.map((userId) => ({ userId, key: "reply:1", outputTokens: 10 }))
  yield* ledger.renew({ holds, ttlMs: 1 })
  const from = yield* Clock.currentTimeMillis
  while ((yield* Clock.currentTimeMillis) < from + 2) yield* Effect.yieldNow
})

/** Makes accounts deny their newest transaction, past the guards: the database then refuses their next one. */
const breakAccounts = Effect.fnUntraced(function* (people: ReadonlyArray<string>) {
  const { schema, statement } = yield* Database
  const accounts = `${schema}.credit_accounts`
  yield* statement(`ALTER TABLE ${accounts} DISABLE TRIGGER USER`)
  yield* statement(`UPDATE ${accounts} SET transaction_count = transaction_count + 1 WHERE user_id = ANY($1)`, [people])
  yield* statement(`ALTER TABLE ${accounts} ENABLE TRIGGER USER`)
})

const heldOf = (people: ReadonlyArray<string>) =>
  Effect.flatMap(testedLedger, (ledger) =>
    Effect.forEach(people, (userId) => Effect.map(ledger.account(userId), ({ heldAllowance }) => heldAllowance))
  )

for (const { name, layer: database } of databases) {
  const services = Layer.mergeAll(HoldSweeper.layer, ResetService.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(PgCreditLedgerLayer, PgTaskRunsLayer, Layer.succeed(Catalog, makeCatalog()))),
    Layer.provideMerge(database)
  )
  layer(services, { excludeTestServices: true, timeout: "120 seconds" })(
    `accounts that are broken, on ${name}`,
    (it) => {
      it.effect("keep no other from the monthly reset, and are counted", () =>
        Effect.gen(function* () {
          const sound = yield* open(30)
          const broken = yield* open(2)
          yield* breakAccounts(broken)
          const asOf = (yield* Clock.currentTimeMillis) + MONTH
          const report = yield* ResetService.use((resets) => resets.run({ asOf, early: true }))
          assert.deepInclude(report, { resetCount: 30, refused: 2, busy: 0 })
          const ledger = yield* testedLedger
          for (const userId of sound) assert.isAbove((yield* ledger.account(userId)).nextResetAt, asOf)
          for (const userId of broken) assert.isAtMost((yield* ledger.account(userId)).nextResetAt, asOf)
        })
      )

      it.effect("keep no other from the sweep, and are counted", () =>
        Effect.gen(function* () {
          const [broken, sound] = [yield* open(3), yield* open(5)]
          yield* die([...broken, ...sound])
          yield* breakAccounts(broken)
          const swept = yield* HoldSweeper.use(({ sweep }) => sweep)
          assert.deepInclude(swept, { charged: 5, refused: 3 })
          assert.deepStrictEqual(yield* heldOf(sound), [0, 0, 0, 0, 0])
          assert.deepStrictEqual(yield* heldOf(broken), [20, 20, 20])
        })
      )

      it.effect("keep no other from the sweep, however many they are", () =>
        Effect.gen(function* () {
          const [broken, sound] = [yield* open(110), yield* open(1)]
          yield* die([...broken, ...sound])
          yield* breakAccounts(broken)
          for (let sweeps = 0; sweeps < 20; sweeps += 1) {
            yield* HoldSweeper.use(({ sweep }) => sweep)
            if ((yield* heldOf(sound))[0] === 0) return
          }
          assert.fail("The hold of a sound account was never ended.")
        })
      )
    }
  )
}
