/** Processes whose clocks are wrong, on one real database. */
import { Catalog, HoldSweeper, ResetService } from "@parley/core/effect"
import { PgTaskRunsLayer } from "../../src/background/PgTaskRuns.ts"
import { ledgerIn, type TestedLedger } from "@parley/core/testing"
import { periodAt } from "@parley/core/adapter"
import { makeCatalog } from "@parley/core"
import { receiptDraft, reservation } from "@parley/core/testing"
import { Clock, Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases, hasPostgres } from "../databases.ts"

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const OFFSETS = [90_000, -90_000, 3 * DAY, -3 * DAY, 400 * DAY, -400 * DAY]
/** Longer than all of these tests take, which share a database: no hold of another test is due. */
const LIFE = 600_000

/** A clock that may be set. */
const clockAhead = Effect.map(Clock.Clock, (real) => {
  let ahead = 0
  const now = () => real.currentTimeMillisUnsafe() + ahead
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return { clock, set: (milliseconds: number) => Effect.sync(() => void (ahead = milliseconds)) }
})

/** The services of one process, whose clock can be set. */
const processOn = (database: Database["Service"]) =>
  Effect.gen(function* () {
    const { clock, set } = yield* clockAhead
    const layer = Layer.mergeAll(HoldSweeper.layer, ResetService.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(PgCreditLedgerLayer, PgTaskRunsLayer)),
      Layer.provide(Layer.mergeAll(Layer.succeed(Database, database), Layer.succeed(Catalog, makeCatalog()))),
      Layer.fresh
    )
    const context = yield* Effect.provideService(Layer.build(layer), Clock.Clock, clock)
    return {
      set,
      ledger: ledgerIn(context),
      /** Runs something on this process's clock. */
      on: <A, E>(work: (ledger: TestedLedger) => Effect.Effect<A, E>) =>
        Effect.provideService(work(ledgerIn(context)), Clock.Clock, clock),
      sweep: Effect.provideService(Context.get(context, HoldSweeper).sweep, Clock.Clock, clock),
      reset: Effect.provideService(Context.get(context, ResetService).run(), Clock.Clock, clock)
    }
  })

const newUser = () => `user-${crypto.randomUUID()}`

/** The difference between the stored expiry of a hold and the database's time, in milliseconds. */
const lifeLeft = ({ statement, schema }: Database["Service"], userId: string) =>
  Effect.map(
    statement<{ left: number }>(
      `SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left
       FROM ${schema}.credit_holds WHERE user_id = $1`,
      [userId]
    ),
    ([row]) => row?.left ?? Number.NaN
  )

for (const { name, layer } of databases.filter((database) => database.name === "Postgres" || !hasPostgres)) {
  describe(`processes whose clocks are wrong, on ${name}`, () => {
    const shared = builtOnce(layer)
    const play = <A, E>(scene: (database: Database["Service"]) => Effect.Effect<A, E, import("effect").Scope.Scope>) =>
      Effect.runPromise(Effect.scoped(Effect.provide(Effect.flatMap(Database, scene), shared)))

    it.each(OFFSETS)(
      "one that is %i ms ahead sweeps no living hold, and its own holds live as long as others'",
      (ahead) =>
        play((database) =>
          Effect.gen(function* () {
            const [right, wrong] = [yield* processOn(database), yield* processOn(database)]
            yield* wrong.set(ahead)
            const [ann, ben] = [newUser(), newUser()]
            yield* right.on((ledger) => ledger.open({ userId: ann, tier: "free", allowance: 6_000 }))
            yield* right.on((ledger) => ledger.reserve(reservation(ann, "reply:1", 5_000, { ttlMs: LIFE })))
            yield* right.on((ledger) =>
              ledger.renew({ holds: [{ userId: ann, key: "reply:1", outputTokens: 1 }], ttlMs: LIFE })
            )
            expect(yield* wrong.sweep).toMatchObject({ charged: 0, released: 0 })
            yield* wrong.on((ledger) => ledger.open({ userId: ben, tier: "free", allowance: 6_000 }))
            yield* wrong.on((ledger) => ledger.reserve(reservation(ben, "reply:1", 5_000, { ttlMs: LIFE })))
            const reserved = yield* lifeLeft(database, ben)
            expect(reserved).toBeLessThan(LIFE + 30_000)
            expect(reserved).toBeGreaterThan(LIFE - 50_000)
            yield* wrong.on((ledger) =>
              ledger.renew({ holds: [{ userId: ben, key: "reply:1", outputTokens: 1 }], ttlMs: LIFE })
            )
            expect(yield* lifeLeft(database, ben)).toBeLessThan(LIFE + 30_000)
            expect(yield* right.sweep).toMatchObject({ charged: 0, released: 0 })
            const end = yield* right.on((ledger) =>
              ledger.settle({ userId: ann, key: "reply:1", amount: 5_000, draft: receiptDraft })
            )
            expect(end).toMatchObject({ receipt: { charged: 5_000 } })
          })
        )
    )

    it.each(OFFSETS)("one that is %i ms ahead dates accounts, plans and rows by the database's clock", (ahead) =>
      play((database) =>
        Effect.gen(function* () {
          const [right, wrong] = [yield* processOn(database), yield* processOn(database)]
          yield* wrong.set(ahead)
          const userId = newUser()
          const before = yield* right.ledger.now
          const { anchor, nextResetAt } = yield* wrong.on((ledger) =>
            ledger.open({ userId, tier: "free", allowance: 100 })
          )
          const start = anchor - 45 * DAY
          yield* wrong.on((ledger) =>
            ledger.changeTier(userId, {
              _tag: "Subscribed",
              key: "first:sub_1",
              tier: "pro",
              allowance: 5_000,
              start,
              renewedBy: "schedule"
            })
          )
          const subscribed = yield* right.ledger.account(userId)
          yield* wrong.on((ledger) =>
            ledger.changeTier(userId, { _tag: "Ended", lowest: "free", key: "ended:sub_1", allowance: 100 })
          )
          const ended = yield* right.ledger.account(userId)
          const after = yield* right.ledger.now
          const isNow = (at: number) => at >= before - 30_000 && at <= after + 30_000
          expect(isNow(anchor)).toBe(true)
          expect(nextResetAt).toBe(periodAt(anchor, anchor).end)
          expect(subscribed.periodStart).toBe(periodAt(start, before).start)
          expect(isNow(ended.anchor)).toBe(true)
          const { transactions } = yield* right.ledger.history({ userId, limit: 10, offset: 0, type: undefined })
          expect(transactions).toHaveLength(3)
          expect(transactions.every(({ createdAt }) => isNow(createdAt))).toBe(true)
        })
      )
    )

    it("a clock that is a year ahead resets no person whose period runs", () =>
      play((database) =>
        Effect.gen(function* () {
          const [right, wrong] = [yield* processOn(database), yield* processOn(database)]
          yield* wrong.set(400 * DAY)
          const userId = newUser()
          const opened = yield* right.on((ledger) => ledger.open({ userId, tier: "free", allowance: 7 }))
          expect(yield* wrong.reset).toMatchObject({ resetCount: 0 })
          expect(yield* right.ledger.account(userId)).toEqual(opened)
        })
      ))

    it("a clock that is set while a process works changes nothing of what it writes", () =>
      play((database) =>
        Effect.gen(function* () {
          const one = yield* processOn(database)
          const userId = newUser()
          yield* one.on((ledger) => ledger.open({ userId, tier: "free", allowance: 1_000 }))
          for (const [index, ahead] of [0, 90_000, -DAY, 0, 2_000, 400 * DAY, 0].entries()) {
            yield* one.set(ahead)
            const key = `reply:${index}`
            yield* one.on((ledger) => ledger.reserve(reservation(userId, key, 10, { ttlMs: LIFE })))
            const left = yield* lifeLeft(database, userId)
            expect(left).toBeLessThan(LIFE + 30_000)
            expect(left).toBeGreaterThan(LIFE - 50_000)
            expect(yield* one.sweep).toMatchObject({ charged: 0, released: 0 })
            yield* one.on((ledger) => ledger.release({ userId, key }))
          }
        })
      ))

    it("a process that is ahead learns it once, and then needs no more statements than any other", () =>
      play((database) =>
        Effect.gen(function* () {
          let statements = 0
          const counting: Database["Service"] = {
            ...database,
            statement: (text, params) => Effect.suspend(() => (statements++, database.statement(text, params)))
          }
          const one = yield* processOn(counting)
          yield* one.set(90_000)
          const userId = newUser()
          yield* one.on((ledger) => ledger.open({ userId, tier: "free", allowance: 1_000 }))
          // The account is remembered again once it was found as this process left it.
          for (let index = 0; index < 3; index += 1) {
            yield* one.on((ledger) => ledger.reserve(reservation(userId, `reply:${index}`, 10)))
          }
          statements = 0
          yield* one.on((ledger) => ledger.reserve(reservation(userId, "reply:last", 10)))
          expect(statements).toBe(1)
        })
      ))
  })
}
