import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { DeliveryRecords, Outbox } from "../../events/Outbox.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { receiptDraft, reservation } from "../credits/creditFixtures.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { ampleQuota, newDocument, newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"
import { chargeOf, claimAll, claimed, newAccount, type OutboxWorld, subscribed } from "./outboxFixtures.ts"
import { outboxDeliveries } from "./outboxDeliveries.ts"
import { outboxLowBalances } from "./outboxLowBalances.ts"
import { outboxPayments } from "./outboxPayments.ts"

/** Tests the guarantees of an `Outbox` with the stores that write its events. `layer` is built once, for all tests. */
export const outboxContract = (name: string, layer: Layer.Layer<OutboxWorld, unknown>): void =>
  suiteOn(`Outbox: ${name}`, layer, (run) => {
    it("a settled reply is reported once, with its cost and without its text", () =>
      run(
        Effect.gen(function* () {
          const ledger = yield* testedLedger
          const userId = yield* newAccount(100)
          const destination = yield* subscribed("reply.finished", "credits.charged")
          const key = "reply:0b5f9a52-6c1d-4f0e-9d6b-2f8a4c3e7d10"
          yield* ledger.reserve(reservation(userId, key, 10))
          const draft = { ...receiptDraft, chatId: "a chat" }
          yield* ledger.settle({ userId, key, amount: 7, draft })
          yield* ledger.settle({ userId, key, amount: 7, draft })
          const events = yield* claimed(destination)
          const transaction = yield* ledger.transaction(userId, key)
          const createdAt = new Date(transaction?.createdAt ?? 0).toISOString()
          expect(events).toEqual([
            {
              id: expect.stringMatching(/^evt_\w{10,}$/),
              type: "credits.charged",
              version: 1,
              createdAt,
              data: { account: userId, credits: 7, balance: 93, key, source: "chat", model: "model-a-mini" }
            },
            {
              id: expect.stringMatching(/^evt_\w{10,}$/),
              type: "reply.finished",
              version: 1,
              createdAt,
              data: {
                account: userId,
                source: "chat",
                replyId: key.slice("reply:".length),
                chatId: "a chat",
                model: "model-a-mini",
                finish: "completed",
                tokens: receiptDraft.usage,
                estimated: false,
                credits: 7
              }
            }
          ])
          expect(events[0]?.id).not.toBe(events[1]?.id)
        })
      ))

    it("a published event is stored for each destination that subscribed to its type, and goes with its person", () =>
      run(
        Effect.gen(function* () {
          const outbox = yield* Outbox
          const records = yield* DeliveryRecords
          const userId = newUserId()
          const [first, second] = [yield* subscribed("security"), yield* subscribed("security")]
          const other = yield* subscribed("plan.changed")
          const data = { event: "signed_in", userId, address: "203.0.113.7", outcome: "ok" } as const
          const at = Date.UTC(2026, 0, 2)
          yield* outbox.publish({ type: "security", at, data })
          yield* outbox.publish({ type: "security", at, data: { event: "secrets_rotated", outcome: "ok" } })
          expect((yield* records.ofAccount({ account: userId, after: undefined, limit: 10 })).length).toBe(2)
          for (const destination of [first, second]) {
            const deliveries = yield* claimAll(destination)
            expect(deliveries.map(({ event }) => event.data)).toHaveLength(2)
            expect(deliveries.map(({ event }) => event.data)).toContainEqual(data)
            expect(deliveries[0]?.event.createdAt).toBe("2026-01-02T00:00:00.000Z")
            for (const delivery of deliveries) {
              yield* outbox.conclude({ destination, delivery, outcome: { _tag: "Delivered" } })
            }
            expect(yield* claimAll(destination, 0)).toEqual([])
          }
          expect(yield* claimAll(other)).toEqual([])
        })
      ))

    it("metered work is charged, and is no reply; free work is no charge; granted or released credits are neither", () =>
      run(
        Effect.gen(function* () {
          const ledger = yield* testedLedger
          const userId = yield* newAccount(100)
          const destination = yield* subscribed("reply.finished", "credits.charged")
          const lines = [{ label: "image", quantity: 2, unitPrice: 3 }]
          const work = { lines, ended: "completed" } as const
          yield* ledger.reserve(reservation(userId, "image:1", 10, { draft: work, source: "meter:images" }))
          yield* ledger.settle({ userId, key: "image:1", amount: 6, draft: work })
          yield* ledger.reserve(reservation(userId, "reply:free", 10))
          yield* ledger.settle({ userId, key: "reply:free", amount: 0, draft: receiptDraft })
          yield* ledger.reserve(reservation(userId, "reply:left", 10))
          yield* ledger.release({ userId, key: "reply:left" })
          yield* ledger.grant({ userId, key: "gift", type: "grant", amount: 5 })
          const told = yield* claimed(destination)
          expect(
            told.map(({ data, type }) => [type, "key" in data ? data : "replyId" in data && data.replyId])
          ).toEqual([
            ["credits.charged", { account: userId, credits: 6, balance: 94, key: "image:1", source: "meter:images" }],
            ["reply.finished", "free"]
          ])
        })
      ))

    it("a sweep's charge is reported as any charge; the rest of a swept reply is a charge and no second reply", () =>
      run(
        Effect.gen(function* () {
          const ledger = yield* testedLedger
          const userId = yield* newAccount(1000)
          const destination = yield* subscribed("reply.finished", "credits.charged")
          yield* ledger.reserve(reservation(userId, "reply:lost", 100, { ttlMs: 1 }))
          yield* ledger.renew({ holds: [{ userId, key: "reply:lost", outputTokens: 500 }], ttlMs: 1 })
          yield* Effect.repeat(ledger.sweep({ limit: 1000 }), {
            until: () => Effect.map(ledger.account(userId), ({ heldAllowance }) => heldAllowance === 0)
          })
          yield* chargeOf(userId, "reply:lost:rest:1", 4)
          const told = yield* claimed(destination)
          expect(told.map(({ type }) => type).toSorted()).toEqual([
            "credits.charged",
            "credits.charged",
            "reply.finished"
          ])
          const reply = told.find(({ type }) => type === "reply.finished")
          expect(reply?.data).toMatchObject({ replyId: "lost", finish: "expired", estimated: true })
        })
      ))

    it("charges that are committed together are reported one by one, under their own ids", () =>
      run(
        Effect.gen(function* () {
          const users = [yield* newAccount(1000), yield* newAccount(1000)]
          const destination = yield* subscribed("credits.charged")
          const charges = Array.from({ length: 20 }, (_, index) =>
            chargeOf(users[index % 2] ?? "", `reply:${index}`, 1)
          )
          yield* Effect.all(charges, { concurrency: "unbounded" })
          const told = yield* claimAll(destination)
          const keys = told.map(({ event: { data } }) => ("key" in data ? data.key : ""))
          expect(keys.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `reply:${index}`).toSorted())
          expect(new Set(told.map(({ event }) => event.id)).size).toBe(20)
        })
      ))

    it("a rolled back unit of work publishes nothing, and a committed one publishes everything", () =>
      run(
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const documents = yield* DocumentStore
          const userId = yield* newAccount(100)
          const document = newDocument(userId)
          yield* documents.insert(document, ampleQuota)
          const destination = yield* subscribed("credits.charged", "document.ready")
          const both = Effect.andThen(
            chargeOf(userId, "reply:both", 5),
            documents.update(userId, document.id, ["processing"], { status: "ready", progress: 1 })
          )
          yield* Effect.exit(unit.run(userId, Effect.andThen(both, Effect.fail("undone"))))
          expect(yield* claimed(destination)).toEqual([])
          yield* unit.run(userId, both)
          expect((yield* claimed(destination)).map(({ type }) => type).toSorted()).toEqual([
            "credits.charged",
            "document.ready"
          ])
        })
      ))

    it("a document is reported when it becomes ready or failed, and not while it stays so", () =>
      run(
        Effect.gen(function* () {
          const documents = yield* DocumentStore
          const userId = newUserId()
          const [good, bad] = [
            newDocument(userId, { filename: "good.pdf" }),
            newDocument(userId, { filename: "bad.pdf" })
          ]
          yield* documents.insert(good, ampleQuota)
          yield* documents.insert(bad, ampleQuota)
          const destination = yield* subscribed("document.ready", "document.failed")
          const become = (id: string, change: Parameters<typeof documents.update>[3]) =>
            documents.update(userId, id, ["processing", "ready"], change)
          yield* become(good.id, { status: "processing", progress: 0.5 })
          yield* become(good.id, { status: "ready", progress: 1, pages: 3, passages: 9 })
          yield* become(good.id, { status: "ready", progress: 1, pages: 3, passages: 9 })
          const reason = "A sentence for people."
          yield* become(bad.id, { status: "failed", progress: 0, reason, reasonCode: "password" })
          const told = yield* claimed(destination)
          expect(told.map(({ data, type }) => ({ type, data }))).toEqual([
            {
              type: "document.failed",
              data: { account: userId, documentId: bad.id, filename: "bad.pdf", reason: "password" }
            },
            {
              type: "document.ready",
              data: { account: userId, documentId: good.id, filename: "good.pdf", pages: 3, passages: 9 }
            }
          ])
        })
      ))

    it("a destination gets only events of its types, and none from before its subscription", () =>
      run(
        Effect.gen(function* () {
          const userId = yield* newAccount(100)
          yield* chargeOf(userId, "reply:before", 1)
          const destination = yield* subscribed("credits.charged")
          const other = yield* subscribed("document.ready")
          yield* chargeOf(userId, "reply:after", 1)
          const told = yield* claimed(destination)
          expect(told.map(({ data }) => "key" in data && data.key)).toEqual(["reply:after"])
          expect(yield* claimed(other)).toEqual([])
        })
      ))

    it("a process that asks a destination for fewer types takes none away from one that asks for more", () =>
      run(
        Effect.gen(function* () {
          const outbox = yield* Outbox
          const records = yield* DeliveryRecords
          const userId = yield* newAccount(100)
          const id = yield* subscribed("credits.charged", "balance.low")
          yield* outbox.subscribe({ destinations: [{ id, types: ["document.ready"] }], lowBelow: undefined })
          expect((yield* records.destinations).find((each) => each.id === id)?.types).toEqual([
            "balance.low",
            "credits.charged",
            "document.ready"
          ])
          yield* chargeOf(userId, "reply:one", 60)
          expect((yield* claimed(id)).map(({ type }) => type)).toEqual(["balance.low", "credits.charged"])
        })
      ))

    outboxPayments(run)
    outboxDeliveries(run)
    outboxLowBalances(run)
  })
