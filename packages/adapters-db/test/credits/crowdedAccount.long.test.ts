import { receiptDraft, reservation } from "@parley/core/testing"
import { ledgerIn, type TestedLedger } from "@parley/core/testing"
import { Clock, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const PROCESSES = 8
const CALLERS = 20
const FOR_MS = 12_000
const all = { concurrency: "unbounded" } as const
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe.runIf(hasPostgres)("accounts that many processes write all the time", () => {
  it.each([1, 10])(
    "%i of them take turns between processes: no reply fails, and no process is kept from them",
    (accounts) =>
      Effect.gen(function* () {
        const url = yield* migratedPostgres
        const ledgers = yield* Effect.forEach(range(PROCESSES), () =>
          Effect.map(
            Layer.build(PgCreditLedgerLayer.pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 6 })))),
            (context) => ledgerIn(context)
          )
        )
        const [first] = ledgers as [TestedLedger]
        const open = (place: number) => first.open({ userId: `crowded-${place}`, tier: "free", allowance: 1_000_000 })
        yield* Effect.forEach(range(accounts), open)
        const until = (yield* Clock.currentTimeMillis) + FOR_MS

        const caller = Effect.fnUntraced(function* (ledger: TestedLedger, name: string, userId: string) {
          let replies = 0
          for (; (yield* Clock.currentTimeMillis) < until; replies += 1) {
            const key = `reply:${name}-${replies}`
            yield* ledger.reserve(reservation(userId, key, 10))
            yield* ledger.settle({ userId, key, amount: 1, draft: receiptDraft })
          }
          return replies
        })
        const replies = yield* Effect.forEach(
          ledgers,
          (ledger, place) =>
            Effect.map(
              Effect.forEach(
                range(CALLERS),
                (one) => caller(ledger, `${place}-${one}`, `crowded-${one % accounts}`),
                all
              ),
              (each) => each.reduce((sum, count) => sum + count, 0)
            ),
          all
        )
        const total = replies.reduce((sum, count) => sum + count, 0)
        expect(Math.min(...replies), String(replies)).toBeGreaterThan(total / PROCESSES / 2)
      }).pipe(Effect.scoped, Effect.runPromise)
  )
})
