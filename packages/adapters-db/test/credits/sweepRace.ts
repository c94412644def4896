import { receiptDraft, reservation } from "@parley/core/testing"
import { ledgerIn } from "@parley/core/testing"
import { Clock, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const HOLDS = 12
const LONG = 3_600_000

/** Ledgers of separate processes. */
const ledgersOver = (url: string, count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(
      Layer.build(PgCreditLedgerLayer.pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 4 })))),
      (context) => ledgerIn(context)
    )
  )

const clockHasMovedOn = Effect.flatMap(Clock.currentTimeMillis, (from) =>
  Effect.gen(function* () {
    while ((yield* Clock.currentTimeMillis) < from + 2) yield* Effect.yieldNow
  })
)

/** Holds that have just expired are renewed, settled and swept at the same moment, by processes of their own. */
const race = Effect.fnUntraced(function* (rounds: number) {
  const url = yield* migratedPostgres
  const [writer, first, second, third] = yield* ledgersOver(url, 4)
  if (writer === undefined || first === undefined || second === undefined || third === undefined) throw new Error()
  let lived = 0
  let died = 0
  for (let round = 0; round < rounds; round += 1) {
    const users = [`a-${round}`, `b-${round}`]
    for (const userId of users) yield* writer.open({ userId, tier: "free", allowance: 1_000 })
    const named = users.flatMap((userId) =>
      Array.from({ length: HOLDS }, (_, index) => ({ userId, key: `reply:${index}` }))
    )
    yield* Effect.forEach(named, ({ userId, key }) => writer.reserve(reservation(userId, key, 10, { ttlMs: 1 })), {
      concurrency: "unbounded"
    })
    yield* clockHasMovedOn
    const renewals = named.map(({ userId, key }) =>
      writer.renew({ holds: [{ userId, key, outputTokens: 1_000 }], ttlMs: LONG })
    )
    const sweeps = [first, second, third].map((ledger) => ledger.sweep({ limit: 100 }))
    const settles = users.map((userId) => writer.settle({ userId, key: "reply:0", amount: 3, draft: receiptDraft }))
    const [renewed] = yield* Effect.all(
      [
        Effect.all(renewals, { concurrency: "unbounded" }),
        Effect.all(sweeps, { concurrency: "unbounded" }),
        Effect.all(settles, { concurrency: "unbounded" })
      ],
      { concurrency: "unbounded" }
    )
    for (const [index, { userId, key }] of named.entries()) {
      if (key === "reply:0") continue
      const { state } = (yield* writer.reserve(reservation(userId, key, 10, { ttlMs: 1 }))) as { state: string }
      if (renewed[index]?.renewed === 1) expect(state, "a hold that was renewed is alive").toBe("open")
      if (state === "open") lived += 1
      else died += 1
    }
    yield* writer.sweep({ limit: 100 })
  }
  const { differences } = yield* writer.verify({ limit: 10_000, after: undefined })
  expect(differences).toEqual([])
  return { lived, died }
})

/** Plays this number of rounds. The number of holds that expire is random; in a hundred rounds both cases occur. */
export const sweepRace = (rounds: number): void => {
  describe.runIf(hasPostgres)(`sweepers beside heartbeats on Postgres, ${rounds} rounds`, () => {
    it("never end a hold whose renewal was answered, and nothing is ended twice", async () => {
      const { died, lived } = await Effect.runPromise(Effect.scoped(race(rounds)))
      expect(lived + died).toBe(rounds * 2 * (HOLDS - 1))
      if (rounds < 100) return
      expect(lived, "some renewals came in time").toBeGreaterThan(0)
      expect(died, "some sweeps were faster").toBeGreaterThan(0)
    })
  })
}
