import { assert, layer } from "@effect/vitest"
import {
  Catalog,
  CreditService,
  inMemoryStorageLayer,
  ChatService,
  parleyLayer,
  noCrmLayer,
  noPayments,
  UserService
} from "@parley/core/effect"
import { makeCatalog, onePerson } from "@parley/core"
import { paymentProviderLayer } from "@parley/core/adapter"
import { ChatModels, ChatStore, CreditLedger, DocumentParser, StorageFailed } from "@parley/core/adapter"
import { reservation, testedLedger } from "@parley/core/testing"
import { Effect, Fiber, Layer, Result, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  ask,
  balance,
  modelsFrom,
  plainParser,
  says,
  type ScriptedModel,
  scriptedModel,
  sweepAway,
  transactions
} from "./world.ts"

const WORDS = 100
/** A token costs a credit; the input nothing. */
const catalog = makeCatalog({
  models: {
    "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 1_000, minimumCredits: 1, maxOutputTokens: 1_000 }
  },
  tiers: { free: { monthlyCredits: 1_000 } }
})

/** A model that writes one word a second, and then reports its count. */
const slow = () =>
  scriptedModel(() =>
    Stream.concat(
      Stream.fromIterable(Array.from({ length: WORDS }, () => ({ _tag: "text-delta" as const, text: "word " }))).pipe(
        Stream.rechunk(1),
        Stream.schedule(Schedule.spaced("1 second"))
      ),
      says([], { input: 10, output: WORDS })
    )
  )

const worldOf = (model: ScriptedModel, change = (ledger: CreditLedger["Service"]) => ledger) =>
  parleyLayer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        paymentProviderLayer(noPayments),
        noCrmLayer,
        Layer.succeed(Catalog, catalog),
        Layer.succeed(ChatModels, modelsFrom(model)),
        Layer.succeed(DocumentParser, plainParser),
        Layer.effect(CreditLedger, Effect.map(testedLedger, change)).pipe(Layer.provideMerge(inMemoryStorageLayer))
      )
    )
  )

const seconds = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => TestClock.adjust("1 second"), { discard: true })

const usageOf = (userId: string) =>
  Effect.map(transactions(userId), (rows) => rows.filter(({ type }) => type === "usage").toReversed())

const isGoing = <A, E>(fiber: Fiber.Fiber<A, E>) => fiber.pollUnsafe() === undefined

layer(worldOf(slow()))("an open reply whose hold was swept", (it) => {
  it.effect("goes on under a new hold, and costs in all what it costs", () =>
    Effect.gen(function* () {
      const reply = yield* Effect.forkChild(ask("ada", "Go on."))
      yield* seconds(21)
      assert.strictEqual((yield* sweepAway).charged, 1)
      assert.strictEqual((yield* balance("ada")).held, 0)
      yield* seconds(5)
      assert.isAbove((yield* balance("ada")).held, 0, "the rest is held anew")
      yield* seconds(WORDS)
      const { text } = yield* Fiber.join(reply)
      assert.strictEqual(text, "word ".repeat(WORDS))
      const [swept, rest, ...more] = yield* usageOf("ada")
      assert.deepStrictEqual(more, [])
      assert.strictEqual(swept?.receipt?.ended, "expired")
      assert.deepInclude(rest?.receipt, { ended: "completed", estimated: false })
      assert.strictEqual(rest?.reference, `${swept?.reference}:rest:1`)
      assert.strictEqual((swept?.amount ?? 0) + (rest?.amount ?? 0), -WORDS)
      assert.deepInclude(yield* balance("ada"), { held: 0, allowance: 1_000 - WORDS, debt: 0 })
    })
  )

  it.effect("is swept again and again, and still costs in all what it costs", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(ask("ben", "Go on."))
      for (let round = 0; round < 4; round += 1) {
        yield* seconds(13)
        yield* sweepAway
      }
      yield* seconds(WORDS)
      const { reply } = yield* Fiber.join(asked)
      const rows = yield* usageOf("ben")
      const costs = yield* CreditService.use((credits) => credits.replyCosts("ben", [reply.messageId, "another"]))
      assert.deepStrictEqual([...costs.keys()], [reply.messageId])
      assert.deepStrictEqual<unknown>(costs.get(reply.messageId), { credits: WORDS, receipt: rows.at(-1)?.receipt })
      assert.strictEqual(
        rows.reduce((sum, { amount }) => sum + amount, 0),
        -WORDS
      )
      assert.isAbove(rows.length, 2)
      assert.deepInclude(yield* balance("ben"), { held: 0, allowance: 1_000 - WORDS })
    })
  )

  it.effect("is charged the rest also where no heartbeat had found it gone before it ended", () =>
    Effect.gen(function* () {
      const reply = yield* Effect.forkChild(ask("cleo", "Go on."))
      yield* seconds(WORDS - 1)
      yield* TestClock.adjust("900 millis")
      yield* sweepAway
      yield* TestClock.adjust("100 millis")
      yield* seconds(3)
      yield* Fiber.join(reply)
      assert.deepInclude(yield* balance("cleo"), { held: 0, allowance: 1_000 - WORDS })
    })
  )

  it.effect("is cut off if another spender has taken the credits, and pays the rest of the balance", () =>
    Effect.gen(function* () {
      const ledger = yield* testedLedger
      const reply = yield* Effect.forkChild(Effect.result(ask("dan", "Go on.")))
      yield* seconds(21)
      yield* sweepAway
      const { available } = yield* balance("dan")
      yield* ledger.adjust({ userId: "dan", key: "taken", amount: 2 - available, reason: "a test" })
      yield* seconds(10)
      assert.isFalse(isGoing(reply), "nobody writes on for free")
      const result = yield* Fiber.join(reply)
      assert.strictEqual(Result.isFailure(result) ? result.failure._tag : undefined, "ModelFailed")
      assert.deepInclude(yield* balance("dan"), { held: 0, available: 0, debt: 0 })
      const [swept, rest] = yield* usageOf("dan")
      assert.strictEqual(swept?.receipt?.ended, "expired")
      assert.deepInclude(rest, { amount: -2 })
      assert.deepInclude(rest?.receipt, { ended: "failed" })
    })
  )

  it.effect("is cut off where the daily cap was taken meanwhile, and what was delivered is paid", () =>
    Effect.gen(function* () {
      const ledger = yield* testedLedger
      yield* balance("fay")
      yield* ledger.grant({ userId: "fay", key: "gift", type: "grant", amount: 5_000 })
      const parties = { ...onePerson("fay"), source: "bot:a", dailyCap: 1_000 } as const
      const asking = ChatService.use((chat) =>
        Effect.flatMap(
          chat.send({ parties, request: { messages: [{ role: "user", content: "Go on." }] } }),
          ({ text }) => Stream.mkString(text)
        )
      )
      const reply = yield* Effect.forkChild(Effect.result(Effect.scoped(asking)))
      yield* seconds(21)
      yield* sweepAway
      const other = { source: "bot:b", dailyCap: 1_000 } as const
      yield* ledger.reserve(reservation("fay", "reply:other", 50, other))
      yield* seconds(10)
      assert.isFalse(isGoing(reply), "no reply goes on past the cap")
      const result = yield* Fiber.join(reply)
      assert.strictEqual(Result.isFailure(result) ? result.failure._tag : undefined, "ModelFailed")
      assert.deepInclude(yield* balance("fay"), { held: 50 })
      const rows = yield* usageOf("fay")
      assert.deepEqual(
        rows.map((row) => row.receipt?.ended),
        ["expired", "failed"]
      )
      yield* ledger.release({ userId: "fay", key: "reply:other" })
    })
  )

  it.effect("is cut off where the person was erased meanwhile, and nothing of it is stored", () =>
    Effect.gen(function* () {
      const reply = yield* Effect.forkChild(Effect.result(ask("hal", "Go on.")))
      yield* seconds(21)
      yield* sweepAway
      yield* UserService.use((users) => users.erase("hal"))
      yield* seconds(10)
      assert.isFalse(isGoing(reply), "the reply does not go on without a payer")
      yield* Fiber.join(reply)
      const { total } = yield* ChatStore.use((chats) => chats.list({ userId: "hal", limit: 1, offset: 0 }))
      assert.strictEqual(total, 0)
    })
  )

  it.effect("that had delivered nothing pays for all it delivers then", () =>
    Effect.gen(function* () {
      const reply = yield* Effect.forkChild(ask("eve", "Go on."))
      while ((yield* balance("eve")).held === 0) yield* TestClock.adjust("10 millis")
      assert.strictEqual((yield* sweepAway).released, 1)
      yield* seconds(WORDS + 5)
      yield* Fiber.join(reply)
      const rows = yield* usageOf("eve")
      assert.strictEqual(rows.length, 1)
      assert.deepInclude(rows[0], { amount: -WORDS })
      assert.deepInclude(yield* balance("eve"), { held: 0, allowance: 1_000 - WORDS })
    })
  )
})

let isAnswerLost = false
/** Reserves, but the caller never learns of it. */
const losingAnswers = worldOf(slow(), (ledger) => ({
  ...ledger,
  run: (operation) =>
    isAnswerLost && operation.name === "reserve"
      ? Effect.andThen(
          ledger.run(operation),
          Effect.fail(new StorageFailed({ operation: "reserve", retryable: true, cause: new Error("cut") }))
        )
      : ledger.run(operation)
}))

layer(losingAnswers)("an open reply whose hold was swept, and whose new hold was made without an answer", (it) => {
  it.effect("ends that hold with its own end, and costs in all what it costs", () =>
    Effect.gen(function* () {
      const reply = yield* Effect.forkChild(ask("gil", "Go on."))
      yield* seconds(WORDS - 2)
      yield* sweepAway
      isAnswerLost = true
      yield* seconds(10)
      yield* Fiber.join(reply)
      isAnswerLost = false
      const rows = yield* usageOf("gil")
      assert.strictEqual(
        rows.reduce((sum, { amount }) => sum + amount, 0),
        -WORDS
      )
      assert.deepInclude(yield* balance("gil"), { held: 0, allowance: 1_000 - WORDS })
      assert.deepStrictEqual(yield* sweepAway, { charged: 0, released: 0, credits: 0, returned: 0, refused: 0 })
      const { differences } = yield* (yield* testedLedger).verify({ limit: 100, after: undefined })
      assert.deepStrictEqual(differences, [])
    })
  )
})
