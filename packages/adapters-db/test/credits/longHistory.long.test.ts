/** An account of a million transactions: any page of it is quick, and verifying it neither sorts nor spills. */
import { suiteOn } from "@parley/core/testing"
import { testedLedger } from "@parley/core/testing"
import { Clock, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { forPurpose } from "../../src/database/limits.ts"
import { databases } from "../databases.ts"
import { writeLongHistory } from "./longHistory.ts"

const ROWS = 1_000_000
const PAGES = 21
const userId = "ann"

const medianOf = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[PAGES >> 1] ?? 0

/** The median time of a page, in milliseconds, and its first row and total. */
const pageAt = (type: string | undefined, offset: number) =>
  Effect.gen(function* () {
    const ledger = yield* testedLedger
    const times: Array<number> = []
    let page
    for (let round = 0; round < PAGES; round += 1) {
      const began = performance.now()
      page = yield* ledger.history({ userId, limit: 200, offset, type })
      times.push(performance.now() - began)
    }
    return {
      median: medianOf(times),
      first: page?.transactions[0],
      total: page?.total,
      rows: page?.transactions.length
    }
  })

/** Bytes of temporary files that this database ever wrote. */
const spilled = Database.use(({ statement }) =>
  Effect.map(
    statement<{ bytes: number }>(`SELECT temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database()`),
    ([row]) => row?.bytes ?? 0
  )
)

for (const { layer } of databases.filter(({ name }) => name === "Postgres")) {
  suiteOn("an account of a million transactions", PgCreditLedgerLayer.pipe(Layer.provideMerge(layer)), (run) => {
    it(
      "has each page within 20 ms at the median, or four times the newest on a busy machine, and verifies without a temporary file",
      { timeout: 900_000 },
      () =>
        run(
          Effect.gen(function* () {
            yield* writeLongHistory(userId, ROWS)
            yield* Database.use(({ schema, statement }) =>
              Effect.andThen(
                forPurpose("schema")(statement(`ANALYZE ${schema}.credit_transactions`)),
                forPurpose("schema")(statement(`ANALYZE ${schema}.credit_idempotency`))
              )
            )
            // The time of the newest page, a plain look-up, shows the load of the machine.
            const bound = Math.max(20, 4 * (yield* pageAt(undefined, 0)).median)
            for (const [type, total] of [
              [undefined, ROWS],
              ["usage", 989_999],
              ["topup", 10_000],
              ["reset", 1]
            ] as const) {
              for (const share of [0, 0.01, 0.5, 0.9999]) {
                const offset = Math.floor(total * share)
                const page = yield* pageAt(type, offset)
                expect(page).toMatchObject({ total, rows: Math.min(200, total - offset) })
                if (type === undefined) expect(page.first?.id).toBe(String(ROWS - offset))
                expect(page.median, `${type} from ${offset}`).toBeLessThan(bound)
              }
            }
            const before = yield* spilled
            const began = yield* Clock.currentTimeMillis
            const ledger = yield* testedLedger
            const verify = (since: number | undefined) => ledger.verify({ limit: 500, after: undefined, since })
            expect((yield* verify(undefined)).differences).toEqual([])
            const whole = (yield* Clock.currentTimeMillis) - began
            const newest = Date.parse("2026-01-01Z") + (ROWS - 1000) * 1000
            const start = yield* Clock.currentTimeMillis
            expect((yield* verify(newest)).differences).toEqual([])
            const since = (yield* Clock.currentTimeMillis) - start
            expect((yield* spilled) - before).toBe(0)
            expect(since).toBeLessThan(whole)
          })
        )
    )
  })
}
