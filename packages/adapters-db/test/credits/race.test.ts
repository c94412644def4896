import { CreditLedger, type Reserved } from "@parley/core"
import { reservation, receiptDraft } from "@parley/core/testing"
import { Context, Deferred, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/PgDatabase.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"

const CALLERS = 50
const ROUNDS = 20
const PRICE = 40

/** Ledgers of `count` separate processes: each with connections and waiting calls of its own. */
const ledgersOver = (url: string, count: number, maxConnections: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => {
      const layer = PgCreditLedgerLayer.pipe(Layer.provideMerge(PgDatabaseLayer({ url, maxConnections })))
      return Effect.map(Layer.build(layer), (context) => ({
        ledger: Context.get(context, CreditLedger),
        database: Context.get(context, Database)
      }))
    },
    { concurrency: "unbounded" }
  )

type Process = Effect.Success<ReturnType<typeof ledgersOver>>[number]

/** All callers wait at a barrier and then reserve a reply that costs exactly the balance. */
const raceOnce = Effect.fnUntraced(function* (processes: ReadonlyArray<Process>) {
  const userId = `user-${crypto.randomUUID()}`
  const first = processes[0] as Process
  yield* first.ledger.open({ userId, tier: "free", allowance: PRICE })
  const barrier = yield* Deferred.make<void>()
  const calls = Array.from({ length: CALLERS }, (_, index) => {
    const { ledger } = processes[index % processes.length] as Process
    return Effect.andThen(Deferred.await(barrier), ledger.reserve(reservation(userId, `reply:${index}`, PRICE)))
  })
  const release = Effect.andThen(Effect.yieldNow, Deferred.succeed(barrier, undefined))
  const [answers] = yield* Effect.all([Effect.all(calls, { concurrency: "unbounded" }), release], {
    concurrency: "unbounded"
  })
  return { userId, answers, held: answers.findIndex(({ _tag }: Reserved) => _tag === "Held") }
})

const readRows = (process: Process, userId: string) =>
  process.database.statement(
    `SELECT allowance, topup, debt, held_allowance, held_topup,
      (SELECT count(*) FROM parley.credit_holds h WHERE h.user_id = a.user_id) AS holds,
      (SELECT sum(amount)::bigint FROM parley.credit_transactions t WHERE t.user_id = a.user_id) AS sum
     FROM parley.credit_accounts a WHERE user_id = $1`,
    [userId]
  )

const race = (processCount: number, maxConnections: number) =>
  Effect.gen(function* () {
    const url = yield* freshPostgres
    yield* Effect.scoped(Effect.provide(migrate(), PgDatabaseLayer({ url, maxConnections: 1 })))
    const processes = yield* ledgersOver(url, processCount, maxConnections)
    yield* Effect.all(
      processes.map(({ database }) => database.statement("SELECT 1")),
      { concurrency: "unbounded" }
    )
    for (let round = 0; round < ROUNDS; round += 1) {
      const { userId, answers, held } = yield* raceOnce(processes)
      expect(answers.filter(({ _tag }) => _tag === "Held")).toHaveLength(1)
      expect(answers.filter(({ _tag }) => _tag === "Refused")).toHaveLength(CALLERS - 1)
      const first = processes[0] as Process
      const whole = { allowance: PRICE, topup: 0, debt: 0, held_topup: 0, sum: PRICE }
      expect(yield* readRows(first, userId)).toEqual([{ ...whole, held_allowance: PRICE, holds: 1 }])
      yield* first.ledger.settle({ userId, key: `reply:${held}`, amount: PRICE, draft: receiptDraft })
      expect(yield* readRows(first, userId)).toEqual([{ ...whole, allowance: 0, held_allowance: 0, holds: 0, sum: 0 }])
    }
  }).pipe(Effect.scoped, Effect.runPromise)

describe.runIf(hasPostgres)(`${CALLERS} callers for one balance on Postgres, ${ROUNDS} rounds`, () => {
  it("one is served and the balance never falls below zero, in one process", () => race(1, 10))

  it("one is served and the balance never falls below zero, across 25 processes", () => race(25, 1))
})
