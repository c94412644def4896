import { DocumentStore, Outbox } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { ampleQuota, newDocument, newUserId, receiptDraft, reservation, suiteOn } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgOutboxLayer } from "../../src/events/PgOutbox.ts"
import { databases } from "../databases.ts"

/**
 * The events of a person, and whether the transaction that wrote the reported row also wrote the event (`xmin`): rows
 * of the ledger are written once, and those of documents name their last change.
 */
const eventsOf = Effect.fnUntraced(function* (userId: string) {
  const { schema, statement } = yield* Database
  const rows = yield* statement<{ readonly type: string; readonly together: boolean }>(
    `SELECT e.type, EXISTS (
         SELECT FROM ${schema}.credit_transactions t
         WHERE t.user_id = e.user_id AND t.xmin = e.xmin AND t.created_at = e.created_at
       ) OR EXISTS (
         SELECT FROM ${schema}.documents d
         WHERE d.user_id = e.user_id AND d.xmin = e.xmin AND d.id::text = e.data ->> 'documentId'
       ) AS together
     FROM ${schema}.event_deliveries e WHERE e.user_id = $1 ORDER BY e.created_at, e.type`,
    [userId]
  )
  return rows.map(({ together, type }) => [type, together])
})

const stores = Layer.mergeAll(PgCreditLedgerLayer, PgDocumentStoreLayer, PgOutboxLayer)

for (const { name, layer } of databases) {
  suiteOn(`events on ${name}`, Layer.provideMerge(stores, layer), (run) => {
    it("an event is written by the transaction of what it tells, and not after it: of calls, sweeps, resets and documents", () =>
      run(
        Effect.gen(function* () {
          const ledger = yield* testedLedger
          const documents = yield* DocumentStore
          const credits = ledger
          const types = [
            ...(["reply.finished", "credits.charged", "balance.low"] as const),
            ...(["document.ready", "document.failed"] as const)
          ]
          yield* (yield* Outbox).subscribe({ destinations: [{ id: "hook:all", types }], lowBelow: { free: 50 } })
          const userId = newUserId()
          yield* credits.open({ userId, tier: "free", allowance: 100 })
          yield* credits.reserve(reservation(userId, "reply:one", 20))
          yield* credits.settle({ userId, key: "reply:one", amount: 7, draft: receiptDraft })
          yield* credits.reserve(reservation(userId, "reply:lost", 10, { ttlMs: 1 }))
          yield* ledger.renew({ holds: [{ userId, key: "reply:lost", outputTokens: 500 }], ttlMs: 1 })
          yield* Effect.repeat(ledger.sweep({ limit: 1000 }), {
            until: () => Effect.map(ledger.account(userId), ({ heldAllowance }) => heldAllowance === 0)
          })
          const asOf = (yield* ledger.account(userId)).nextResetAt
          const range = (yield* ledger.due({ asOf, before: undefined, limit: 1 }))!
          yield* ledger.reset({ asOf, allowances: { free: 10 }, range, dryRun: false })
          for (const status of ["ready", "failed"] as const) {
            const document = newDocument(userId)
            yield* documents.insert(document, ampleQuota)
            yield* documents.update(userId, document.id, ["processing"], { status, progress: 1 })
          }
          expect(yield* eventsOf(userId)).toEqual(
            [
              ["credits.charged", "reply.finished"],
              ["credits.charged", "reply.finished"],
              ["balance.low", "document.ready", "document.failed"]
            ].flatMap((group) => group.map((type) => [type, true]))
          )
        })
      ))
  })
}
