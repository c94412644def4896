import { receiptDraft, reservation } from "@parley/core/testing"
import { ledgerIn, type TestedLedger } from "@parley/core/testing"
import { Clock, Effect, Fiber, Layer } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"
import { migratedBehindPooler, hasPooler } from "../pooler.ts"

const MONTH = 32 * 24 * 3_600_000

/** A ledger on a separate database, and another session of that database that is unknown to it. */
const setUp = Effect.fnUntraced(function* (makeUrl: typeof migratedPostgres) {
  const url = yield* makeUrl
  const ledgers = PgCreditLedgerLayer.pipe(Layer.provide(PgDatabaseLayer({ url })))
  const ledger = ledgerIn(yield* Layer.build(ledgers))
  const direct = new URL(process.env["TEST_DATABASE_URL"] ?? "")
  direct.pathname = new URL(url).pathname
  const session = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: direct.href })
      client.on("error", () => undefined)
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
  const ask = (text: string, params: ReadonlyArray<unknown> = []) =>
    Effect.promise(() => session.query(text, [...params]))
  const people = Effect.fnUntraced(function* (name: string, count: number) {
    const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`)
    yield* Effect.forEach(ids, (userId) => ledger.open({ userId, tier: "free", allowance: 1_000 }), {
      concurrency: "unbounded"
    })
    return ids
  })
  return { ledger, ask, people }
})

/** A reply of each, from its hold to its charge. */
const reply = (ledger: TestedLedger, key: string) => (userId: string) =>
  Effect.andThen(
    ledger.reserve(reservation(userId, key, 10)),
    ledger.settle({ userId, key, amount: 3, draft: receiptDraft })
  )

/** Asked again for as long as what fails it passes. */
const patiently = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.retry(work, { while: (error) => (error as { readonly retryable?: boolean }).retryable === true })

const all = { concurrency: "unbounded" } as const
const run = <A, E>(work: Effect.Effect<A, E, import("effect").Scope.Scope>) => Effect.runPromise(Effect.scoped(work))

const expired = Effect.flatMap(Clock.currentTimeMillis, (from) =>
  Effect.gen(function* () {
    while ((yield* Clock.currentTimeMillis) < from + 2) yield* Effect.yieldNow
  })
)

const places = {
  Postgres: { makeUrl: migratedPostgres, present: hasPostgres },
  "Postgres behind a pooler": { makeUrl: migratedBehindPooler, present: hasPostgres && hasPooler }
}

/** What accounts that another session has locked keep from others, and from themselves. */
export const lockedAccounts = (name: keyof typeof places): void => {
  const { makeUrl, present } = places[name]
  // Each has a database of its own, and mostly waits.
  describe.runIf(present)(`accounts that another session has locked, on ${name}`, { concurrent: true }, () => {
    for (const count of [3, 300]) {
      it(`${count} of them keep no other account from metering`, () =>
        run(
          Effect.gen(function* () {
            const { ledger, ask, people } = yield* setUp(makeUrl)
            const stuck = yield* people("stuck", count)
            const others = yield* people("other", 40)
            yield* ask("BEGIN")
            yield* ask("SELECT FROM parley.credit_accounts WHERE user_id = ANY($1) FOR UPDATE", [stuck])
            const waiting = yield* Effect.forkChild(
              Effect.forEach(stuck, (userId) => patiently(ledger.reserve(reservation(userId, "reply:0", 10))), all),
              { startImmediately: true }
            )
            for (const key of ["reply:1", "reply:2", "reply:3"]) {
              yield* Effect.forEach(others, reply(ledger, key), all)
            }
            expect(waiting.pollUnsafe(), "the locked ones still wait").toBe(undefined)
            yield* ask("ROLLBACK")
            for (const reserved of yield* Fiber.join(waiting)) expect(reserved).toMatchObject({ state: "open" })
            yield* Effect.forEach(stuck, reply(ledger, "reply:4"), all)
            const { differences } = yield* ledger.verify({ limit: 1_000, after: undefined })
            expect(differences).toEqual([])
          })
        ))
    }

    it("fail their own callers after a few seconds, as worth trying again, and work as soon as they are free", () =>
      run(
        Effect.gen(function* () {
          const { ledger, ask, people } = yield* setUp(makeUrl)
          const [userId = ""] = yield* people("stuck", 1)
          yield* ask("BEGIN")
          yield* ask("SELECT FROM parley.credit_accounts FOR UPDATE")
          const error = yield* Effect.flip(ledger.reserve(reservation(userId, "reply:1", 10)))
          expect(error).toMatchObject({ _tag: "StorageFailed", retryable: true })
          yield* ask("ROLLBACK")
          yield* reply(ledger, "reply:1")(userId)
        })
      ))

    it("a hold that another session has locked, or an account that another one opens, keeps no other account from metering", () =>
      run(
        Effect.gen(function* () {
          const { ledger, ask, people } = yield* setUp(makeUrl)
          const stuck = yield* people("stuck", 3)
          const others = yield* people("other", 40)
          yield* Effect.forEach(stuck, (userId) => ledger.reserve(reservation(userId, "reply:0", 10)), all)
          yield* ask("BEGIN")
          yield* ask("SELECT FROM parley.credit_holds FOR UPDATE")
          yield* ask(
            `INSERT INTO parley.credit_accounts SELECT (json_populate_record(a, '{"user_id": "new"}')).*
             FROM parley.credit_accounts a LIMIT 1`
          )
          const settling = yield* Effect.forkChild(
            Effect.forEach(
              stuck,
              (userId) => patiently(ledger.settle({ userId, key: "reply:0", amount: 3, draft: receiptDraft })),
              all
            ),
            { startImmediately: true }
          )
          const opening = yield* Effect.forkChild(
            patiently(ledger.open({ userId: "new", tier: "free", allowance: 5 })),
            { startImmediately: true }
          )
          for (const key of ["reply:1", "reply:2", "reply:3"]) yield* Effect.forEach(others, reply(ledger, key), all)
          expect(settling.pollUnsafe(), "the locked ones still wait").toBe(undefined)
          yield* ask("ROLLBACK")
          for (const settled of yield* Fiber.join(settling)) expect(settled._tag).toBe("Settled")
          expect((yield* Fiber.join(opening)).allowance).toBe(5)
        })
      ))

    it("delay only themselves in heartbeats, sweeps and resets, and are no contradictions there", () =>
      run(
        Effect.gen(function* () {
          const { ledger, ask, people } = yield* setUp(makeUrl)
          const stuck = yield* people("stuck", 3)
          const others = yield* people("other", 20)
          const everybody = [...stuck, ...others]
          yield* Effect.forEach(
            everybody,
            (userId) => ledger.reserve(reservation(userId, "reply:1", 10, { ttlMs: 1 })),
            all
          )
          yield* expired
          yield* ask("BEGIN")
          yield* ask("SELECT FROM parley.credit_accounts WHERE user_id = ANY($1) FOR UPDATE", [stuck])
          yield* ask("SELECT FROM parley.credit_holds WHERE user_id = ANY($1) FOR UPDATE", [stuck])
          const beat = everybody.map((userId) => ({ userId, key: "reply:1", outputTokens: 5 }))
          expect(yield* ledger.renew({ holds: beat, ttlMs: 1 })).toEqual({ renewed: 20, gone: [] })
          yield* expired
          expect(yield* ledger.sweep({ limit: 100 })).toMatchObject({ charged: 20, refused: 0 })
          const asOf = (yield* Clock.currentTimeMillis) + MONTH
          const range = yield* ledger.due({ asOf, before: undefined, limit: 100 })
          if (range === undefined) throw new Error("Nothing is due.")
          const allowances = { free: 1_000, pro: 1_000, business: 1_000 }
          const chunk = yield* ledger.reset({ asOf, allowances, range, dryRun: false })
          expect([chunk.tiers["free"]?.accounts, chunk.busy]).toEqual([20, 3])
          yield* ask("ROLLBACK")
          expect(yield* ledger.sweep({ limit: 100 })).toMatchObject({ released: 3, refused: 0 })
        })
      ))
  })
}
