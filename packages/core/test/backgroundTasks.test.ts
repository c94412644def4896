import { assert, describe, it } from "@effect/vitest"
import { CreditRecords } from "@parley/core/adapter"
import { testedLedger } from "../src/testing/credits/testedLedger.ts"
import { BACKGROUND_TASKS, type BackgroundTaskName } from "@parley/core"
import { backgroundWorkLayer, DocumentService, settingsLayer } from "@parley/core/effect"
import { AuditLog, CallLimiter, ChatStore, PaymentEventStore, RunningReplies } from "@parley/core/adapter"
import { newTurn, reservation } from "@parley/core/testing"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { scriptedModel, world } from "./chat/world.ts"
import { digestAtOnce } from "./digestAtOnce.ts"

const model = scriptedModel(() => Stream.empty)

const turn = newTurn("ann")
const deadHold = { userId: "ann", key: "reply:1" }
const deadReply = { ...turn, replyId: turn.reply.id, model: "model-a-mini", joinable: true }

const oldEvent = { id: "evt_1", kind: "product.created", createdAt: 0, customerId: undefined, payload: "{}" }

const oldEntry = { action: "users block", by: "operator", userId: undefined, reason: undefined, details: "" }

/** A person with an uploaded document, the hold and the reply of a process that died, and a period that ends in a month. */
const given = Effect.gen(function* () {
  const ledger = yield* testedLedger
  const { nextResetAt } = yield* ledger.open({ userId: "ann", tier: "free", allowance: 3 })
  const ttlMs = 1_000
  yield* ledger.reserve(reservation("ann", deadHold.key, 1, { ttlMs }))
  yield* ChatStore.use((chats) => chats.beginTurn({ ...turn, running: { hold: deadHold, joinable: true, ttlMs } }))
  const beat = { hold: { ...deadHold, outputTokens: 2 }, reply: { ...deadReply, start: 0, text: "The sky" } }
  yield* RunningReplies.use((replies) => replies.write({ beats: [beat], ttlMs }))
  const limits = [{ subject: "192.0.2.1", name: "ip", calls: 1 }]
  yield* CallLimiter.use(({ admit }) => admit({ limits, windowMs: 1, lease: "one", leaseMs: 1, ended: [] }))
  yield* PaymentEventStore.use((store) => store.keep(oldEvent, { state: "ignored", note: "" }))
  yield* AuditLog.use((log) => log.record(oldEntry))
  const bytes = new TextEncoder().encode("The sky over Basel is blue today.")
  const { id } = yield* DocumentService.use(({ upload }) => upload({ userId: "ann", filename: "sky.txt", bytes }))
  return { documentId: id, nextResetAt }
})

/** The state of this work. */
const done = (documentId: string) =>
  Effect.gen(function* () {
    const { heldAllowance, nextResetAt } = yield* CreditRecords.use((ledger) => ledger.account("ann"))
    const { status } = yield* DocumentService.use(({ get }) => get("ann", documentId))
    const dead = yield* RunningReplies.use((replies) => replies.read({ ...deadReply, from: 0 }))
    return { read: status === "ready", swept: heldAllowance === 0, kept: dead._tag === "Ended", nextResetAt }
  })

/** True if there is nothing left to delete. */
const forgotten = Effect.map(
  CallLimiter.use(({ sweep }) => sweep({ limit: 1 })),
  (swept) => swept === 0
)

/** True if the payment provider's event was removed after its retention. */
const removed = Effect.map(
  PaymentEventStore.use((store) => store.find([oldEvent.id])),
  (found) => found.length === 0
)

/** True if the audit log's entry was deleted after its retention. */
const cleared = Effect.map(
  AuditLog.use((log) => log.list({ userId: undefined, since: undefined, before: undefined, limit: 1 })),
  (entries) => entries.length === 0
)

/** Lets everything go on until the document is read, though no time passes. */
const readingEnds = (documentId: string) =>
  done(documentId).pipe(
    Effect.tap(({ read }) => (read ? Effect.void : TestClock.adjust(0))),
    Effect.repeat({ until: ({ read }) => read, times: 1_000 })
  )

const begun = (names?: ReadonlyArray<BackgroundTaskName>) =>
  Effect.gen(function* () {
    yield* Layer.build(backgroundWorkLayer(names))
    yield* TestClock.adjust(0)
  })

digestAtOnce()

describe("background work", () => {
  it.effect("reads documents, ends the holds of dead processes and begins the periods that ended meanwhile", () =>
    Effect.gen(function* () {
      const { documentId, nextResetAt } = yield* given
      yield* TestClock.setTime(nextResetAt)
      yield* begun()
      yield* TestClock.adjust("2 minutes")
      const { nextResetAt: next, ...rest } = yield* readingEnds(documentId)
      const all = { read: true, swept: true, kept: true, reset: true, forgotten: true }
      assert.deepStrictEqual({ ...rest, reset: next > nextResetAt, forgotten: yield* forgotten }, all)
    }).pipe(Effect.provide(world(model)))
  )

  it.effect("begins the periods that end while it runs, within little more than an hour", () =>
    Effect.gen(function* () {
      const { documentId, nextResetAt } = yield* given
      yield* TestClock.setTime(nextResetAt - 2 * 60_000)
      yield* begun(["resets"])
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* done(documentId)).nextResetAt, nextResetAt)
      yield* TestClock.adjust("73 minutes")
      assert.isAbove((yield* done(documentId)).nextResetAt, nextResetAt)
    }).pipe(Effect.provide(world(model)))
  )

  // In memory, documents always have a job, and their bytes are in one place; no destination is subscribed here.
  it.effect.each(BACKGROUND_TASKS.filter((name) => !["requeue", "files", "events"].includes(name)))(
    "does nothing but what it is asked to: %s",
    (name) =>
      Effect.gen(function* () {
        const { documentId, nextResetAt } = yield* given
        yield* TestClock.setTime(nextResetAt + 90 * 86_400_000)
        yield* begun([name])
        yield* TestClock.adjust("2 minutes")
        if (name === "jobs") yield* readingEnds(documentId)
        const { kept, nextResetAt: next, read, swept } = yield* done(documentId)
        const resets = next > nextResetAt
        const forgot = { callLimits: yield* forgotten, paymentEvents: yield* removed, retention: yield* cleared }
        assert.strictEqual(kept, swept)
        const worked = { jobs: read, holds: swept, resets, ...forgot }
        const names = Object.keys(worked).map((task) => [task, task === name])
        assert.deepStrictEqual(worked, Object.fromEntries(names))
      }).pipe(Effect.provide(Layer.provide(world(model), settingsLayer({ retention: { logsMs: 30 * 86_400_000 } }))))
  )
})
