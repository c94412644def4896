import { Clock, Context, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { ledgerIn } from "@parley/core/testing"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { forPurpose, LIMITS } from "../../src/database/limits.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { storing } from "../../src/storage/storageFailed.ts"
import { freshPostgres, hasPostgres, migratedPostgres } from "../databases.ts"
import { SilentNetwork } from "../faults/SilentNetwork.ts"

const short = { statementMs: 300, lockMs: 200, silenceMs: 400, alone: false }
const policy = { ...LIMITS, interactive: short, commit: { ...LIMITS.commit, statementMs: 300 } }
const roomy = forPurpose("schema")

/** The real clock, which can be put forward: time that passes for the watch alone. */
const movedClock = Effect.map(Clock.Clock, (real) => {
  let movedMs = 0
  const currentTimeMillisUnsafe = () => real.currentTimeMillisUnsafe() + movedMs
  return {
    clock: Object.assign(Object.create(real) as Clock.Clock, { currentTimeMillisUnsafe }),
    pass: (seconds: number) => Effect.sync(() => void (movedMs += seconds * 1_000))
  }
})

/** Waits until calls that are made in this turn of the event loop are sent. */
const sent = Effect.promise(async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
})

const opened = Effect.fnUntraced(function* (
  from: "url" | "pool" = "url",
  server: typeof migratedPostgres = freshPostgres
) {
  const url = yield* server
  const network = yield* Effect.acquireRelease(
    Effect.promise(() => SilentNetwork.open(url)),
    (silent) => Effect.promise(() => silent[Symbol.asyncDispose]())
  )
  const { clock, pass } = yield* movedClock
  const through = network.through(url)
  const pool = from === "pool" ? new pg.Pool({ connectionString: through, max: 3 }) : undefined
  const options = pool === undefined ? { url: through, maxConnections: 3 } : { pool }
  const layer = PgDatabaseLayer({ ...options, limits: policy, connectTimeoutMs: 3_000 })
  const context = yield* Effect.provideService(Layer.build(layer), Clock.Clock, clock)
  if (pool !== undefined) yield* Effect.addFinalizer(() => Effect.sync(() => void pool.end()))
  const { statement } = Context.get(context, Database)
  const ask = statement("SELECT 1 AS one")
  yield* roomy(ask)
  /** A statement on which the client gives up after this time. */
  const inVain = Effect.fnUntraced(function* (seconds: number) {
    const asking = yield* Effect.forkChild(Effect.flip(ask), { startImmediately: true })
    yield* pass(seconds)
    return yield* Fiber.join(asking)
  })
  return { ask, context, inVain, network, pass, statement }
})

const run = <A, E>(work: Effect.Effect<A, E, import("effect").Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(work).pipe(Effect.provide(Logger.layer([]))))

describe.runIf(hasPostgres)("a database", { concurrent: true }, () => {
  it.each(["url", "pool"] as const)("that was silent for 20 seconds is not asked until it answers: by a %s", (from) =>
    run(
      Effect.gen(function* () {
        const { ask, inVain, network, pass } = yield* opened(from)
        network.fallSilent()
        expect(yield* inVain(2)).not.toHaveProperty("retryAfterMs")
        expect(yield* inVain(18)).not.toHaveProperty("retryAfterMs")
        for (let request = 0; request < 20; request++) {
          expect(yield* Effect.flip(ask)).toMatchObject({ retryAfterMs: 2_000, retryable: true })
        }
        network.workAgain()
        yield* pass(2)
        expect(yield* roomy(ask)).toEqual([{ one: 1 }])
      })
    )
  )

  it("that is silent refuses credit calls that would wait behind one that hangs", () =>
    run(
      Effect.gen(function* () {
        const { context, network, pass } = yield* opened("url", migratedPostgres)
        const ledger = yield* Layer.build(
          Layer.provide(
            PgCreditLedgerLayer,
            Layer.merge(Layer.succeedContext(context), Layer.succeed(LedgerClock, "caller"))
          )
        )
        const { open } = ledgerIn(ledger)
        const opening = open({ userId: "ann", tier: "free", allowance: 100 })
        yield* opening
        network.fallSilent()
        const hanging = yield* Effect.forkChild(Effect.exit(opening), { startImmediately: true })
        yield* sent
        yield* pass(20)
        expect(yield* Effect.flip(opening)).toMatchObject({ _tag: "StorageFailed", retryAfterMs: 2_000 })
        expect(hanging.pollUnsafe()).toBeUndefined()
        yield* Fiber.join(hanging)
      })
    ))

  it("that is silent is a temporary failure of its stores, with the time to wait", () =>
    run(
      Effect.gen(function* () {
        const { ask, inVain, network } = yield* opened()
        network.fallSilent()
        yield* inVain(20)
        expect(yield* Effect.flip(storing("ChatStore.list")(ask))).toMatchObject({
          _tag: "StorageFailed",
          retryable: true,
          retryAfterMs: 2_000
        })
      })
    ))

  it("that works on one long statement is not silent: it answers others", () =>
    run(
      Effect.gen(function* () {
        const { ask, pass, statement } = yield* opened()
        const long = yield* Effect.forkChild(roomy(statement("SELECT pg_sleep(1)")), { startImmediately: true })
        yield* pass(60)
        expect(yield* roomy(ask)).toEqual([{ one: 1 }])
        yield* Fiber.join(long)
      })
    ))

  it("that refuses connections answers, even if slowly", () =>
    run(
      Effect.gen(function* () {
        const { ask, network, pass } = yield* opened()
        yield* Effect.promise(() => network[Symbol.asyncDispose]())
        for (let request = 0; request < 5; request++) {
          const exit = yield* Effect.exit(ask)
          expect(Exit.isFailure(exit)).toBe(true)
          expect(exit).not.toMatchObject({ cause: { reasons: [{ error: { retryAfterMs: 2_000 } }] } })
          yield* pass(30)
        }
      })
    ))
})
