/** Verifies accounts while their replies are paid for, on a server, where both really run at once. */
import type { Difference } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { receiptDraft, reservation, suiteOn } from "@parley/core/testing"
import { Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { databases, hasPostgres } from "../databases.ts"

const PEOPLE = ["ann", "bob", "cy", "dee"]

/** Replies of a person one after another: settled, released, renewed, with purchases in between. */
const talk = Effect.fnUntraced(function* (userId: string) {
  const ledger = yield* testedLedger
  for (let count = 0; ; count += 1) {
    const key = `reply:${count}`
    yield* ledger.reserve(reservation(userId, key, 10))
    yield* ledger.renew({ holds: [{ userId, key, outputTokens: 3 }], ttlMs: 700_000 })
    if (count % 3 === 0) yield* ledger.release({ userId, key })
    else yield* ledger.settle({ userId, key, amount: 5, draft: receiptDraft })
    yield* ledger.grant({ userId, key: `topup:${count}`, type: "topup", amount: 5 })
  }
})

/** The server's, if there is one: PGlite's comes first. */
const layer = databases.at(-1)!.layer

/** Verifies this many times, and until an account has this number of transactions. */
export const verifyBesideReplies = (rounds: number, transactions: number): void => {
  describe.runIf(hasPostgres)("on a server", () => {
    suiteOn("verifying beside replies", PgCreditLedgerLayer.pipe(Layer.provideMerge(layer)), (run) => {
      it("raises no false alarm", () =>
        run(
          Effect.gen(function* () {
            const ledger = yield* testedLedger
            for (const userId of PEOPLE) yield* ledger.open({ userId, tier: "free", allowance: 1000 })
            const talks = yield* Effect.forEach(PEOPLE, (userId) => Effect.forkChild(talk(userId)))
            const found: Array<Difference> = []
            let total = 0
            for (let round = 0; round < rounds || total < transactions; round += 1) {
              for (const since of [undefined, 0]) {
                const first = yield* ledger.verify({ limit: 3, after: undefined, since })
                const rest = yield* ledger.verify({ limit: 3, after: first.next, since })
                found.push(...first.differences, ...rest.differences)
              }
              total = (yield* ledger.history({ userId: "ann", limit: 1, offset: 0, type: undefined })).total
            }
            yield* Fiber.interruptAll(talks)
            expect(found).toEqual([])
          })
        ))
    })
  })
}
