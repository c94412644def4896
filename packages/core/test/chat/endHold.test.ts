import { assert, describe, it } from "@effect/vitest"
import { HoldSweeper, parleyLayer, ReplyRunner } from "@parley/core/effect"
import { ChatStore, CreditLedger, CreditUpkeep, RunningReplies, StorageFailed } from "@parley/core/adapter"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ask, balance, says, scriptedModel, transactions, world } from "./world.ts"

/** A ledger whose `settle` fails for as long as `down` says, and the number of heartbeats. */
const outage = () => {
  const state = { down: true, renewed: 0 }
  const replies = Layer.effect(
    RunningReplies,
    Effect.map(RunningReplies, (replies) =>
      RunningReplies.of({
        ...replies,
        write: (input) => {
          state.renewed += 1
          return replies.write(input)
        }
      })
    )
  )
  const ledgers = Layer.effect(
    CreditLedger,
    Effect.map(CreditLedger, (ledger) =>
      CreditLedger.of({
        ...ledger,
        run: (operation) =>
          Effect.suspend(() =>
            state.down && operation.name === "settle"
              ? Effect.fail(new StorageFailed({ operation: "settle", retryable: true, cause: new Error("down") }))
              : ledger.run(operation)
          )
      })
    )
  )
  return { state, layer: Layer.merge(ledgers, replies) }
}

/** Chats and a ledger that fail all calls except reserving, for as long as `down` is true. */
const readOnly = () => {
  const state = { down: false }
  const failing = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | StorageFailed> =>
    Effect.suspend((): Effect.Effect<A, E | StorageFailed> =>
      state.down ? new StorageFailed({ operation: "any", retryable: true, cause: new Error("read-only") }) : work
    )
  const ledgers = Layer.effect(
    CreditLedger,
    Effect.map(CreditLedger, (ledger) =>
      CreditLedger.of({
        ...ledger,
        run: (operation) => (operation.name === "settle" ? failing(ledger.run(operation)) : ledger.run(operation))
      })
    )
  )
  const sweeps = Layer.effect(
    CreditUpkeep,
    Effect.map(CreditUpkeep, (upkeep) => CreditUpkeep.of({ ...upkeep, sweep: (input) => failing(upkeep.sweep(input)) }))
  )
  const chats = Layer.effect(
    ChatStore,
    Effect.map(ChatStore, (store) =>
      ChatStore.of({
        ...store,
        beginTurn: (input) => failing(store.beginTurn(input))
      })
    )
  )
  const replies = Layer.effect(
    RunningReplies,
    Effect.map(RunningReplies, (replies) =>
      RunningReplies.of({ ...replies, write: (input) => failing(replies.write(input)) })
    )
  )
  return { state, layer: Layer.mergeAll(ledgers, sweeps, chats, replies) }
}

/** One after another: the running calls continue in each of them. */
const seconds = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => TestClock.adjust("1 second"), { discard: true })

describe("a storage that takes no writes for two minutes while a reply ends", () => {
  it.effect("the reply is charged exactly and stored whole, also where others sweep as soon as it works again", () => {
    const { state, layer } = readOnly()
    const reply = Stream.suspend(() => {
      state.down = true
      return says(["Hello", " world"], { input: 1_000, output: 500 })
    })
    const ports = world(scriptedModel(() => reply))
    const services = Layer.fresh(parleyLayer).pipe(Layer.provideMerge(layer), Layer.provideMerge(ports))
    return Effect.gen(function* () {
      yield* Effect.forkChild(HoldSweeper.use(({ run }) => run))
      const asking = yield* Effect.forkChild(ask("ann", "Hi"))
      yield* seconds(10)
      const { reply: answered, text } = yield* Fiber.join(asking)
      assert.strictEqual(text, "Hello world")
      yield* seconds(120)
      state.down = false
      yield* seconds(30)
      const charged = (yield* transactions("ann")).filter((row) => row.type === "usage")
      assert.deepStrictEqual(
        charged.map((row) => [row.amount, row.receipt?.ended]),
        [[-3, "completed"]]
      )
      const { transcript } = yield* ChatStore
      const stored = yield* transcript({ owner: { person: "ann" }, chatId: answered.chatId, limit: 10 })
      assert.deepStrictEqual(
        stored?.messages.map(({ content, state }) => [content, state]),
        [
          ["Hi", "complete"],
          ["Hello world", "complete"]
        ]
      )
    }).pipe(Effect.provide(services))
  })
})

describe("a storage that is down when a reply ends", () => {
  it.effect("keeps neither the reader waiting nor the reply free: it is settled once the storage answers", () => {
    const { state, layer } = outage()
    const ports = world(scriptedModel(() => says(["Hello"], { input: 1_000, output: 500 })))
    const services = Layer.fresh(parleyLayer).pipe(Layer.provideMerge(layer), Layer.provideMerge(ports))
    return Effect.gen(function* () {
      const asking = yield* Effect.forkChild(ask("ann", "Hi"))
      yield* seconds(10)
      assert.strictEqual((yield* Fiber.join(asking)).text, "Hello")
      assert.isAbove((yield* balance("ann")).held, 0)
      yield* seconds(300)
      assert.isAbove(state.renewed, 100)
      assert.isAbove((yield* balance("ann")).held, 0)
      state.down = false
      yield* seconds(10)
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 97 })
      const charged = (yield* transactions("ann")).filter((row) => row.type === "usage")
      assert.deepStrictEqual(
        charged.map((row) => row.receipt?.ended),
        ["completed"]
      )
      const after = state.renewed
      yield* seconds(60)
      assert.strictEqual(state.renewed, after)
    }).pipe(Effect.provide(services))
  })
})

describe("a process that is asked to stop while the end of a reply waits for the storage", () => {
  it.effect("writes a reply until that is stored, though its reader has it all", () => {
    const { state, layer } = outage()
    const ports = world(scriptedModel(() => says(["Hello"], { input: 1_000, output: 500 })))
    const services = Layer.fresh(parleyLayer).pipe(Layer.provideMerge(layer), Layer.provideMerge(ports))
    return Effect.gen(function* () {
      const replies = yield* ReplyRunner
      const asking = yield* Effect.forkChild(ask("ann", "Hi"))
      yield* seconds(10)
      assert.strictEqual((yield* Fiber.join(asking)).text, "Hello")
      const idle = yield* Effect.forkChild(replies.idle)
      yield* seconds(10)
      assert.isUndefined(idle.pollUnsafe())
      state.down = false
      yield* seconds(10)
      assert.isDefined(idle.pollUnsafe())
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 97 })
    }).pipe(Effect.provide(services))
  })
})

describe("a turn that is not stored when its process dies", () => {
  it.effect("is not charged, even if its chat exists: no reader could find the text", () => {
    let unstored = false
    const model = scriptedModel(() => Stream.concat(says(["Hello"]).pipe(Stream.take(1)), Stream.never))
    const broken = Layer.merge(
      Layer.effect(
        ChatStore,
        Effect.map(ChatStore, (store) =>
          ChatStore.of({
            ...store,
            beginTurn: (input) =>
              Effect.suspend(() =>
                unstored
                  ? Effect.fail(new StorageFailed({ operation: "begin", retryable: true, cause: new Error("locked") }))
                  : store.beginTurn(input)
              )
          })
        )
      ),
      Layer.effect(
        CreditLedger,
        Effect.map(CreditLedger, (ledger) =>
          CreditLedger.of({
            ...ledger,
            run: (operation) =>
              unstored && operation.name !== "reserve"
                ? Effect.fail(new StorageFailed({ operation: "any", retryable: false, cause: new Error("dead") }))
                : ledger.run(operation)
          })
        )
      )
    )
    const services = Layer.fresh(parleyLayer).pipe(Layer.provideMerge(broken), Layer.provideMerge(world(model)))
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(ask("ann", "Hi"))
      yield* seconds(3)
      yield* Fiber.interrupt(first)
      const chats = yield* ChatStore
      const { chats: list } = yield* chats.list({ userId: "ann", limit: 1, offset: 0 })
      const chatId = list[0]?.id ?? ""
      const spent = (yield* transactions("ann")).filter((row) => row.type === "usage").length
      unstored = true
      const second = yield* Effect.forkChild(ask("ann", "And?", { chatId }))
      yield* seconds(5)
      yield* Fiber.interrupt(second)
      yield* seconds(61)
      const { sweep } = yield* HoldSweeper
      assert.deepInclude(yield* sweep, { charged: 0, released: 1 })
      const stored = yield* chats.transcript({ owner: { person: "ann" }, chatId, limit: 10 })
      assert.deepStrictEqual(
        stored?.messages.map(({ content }) => content),
        ["Hi", "Hello"]
      )
      assert.strictEqual((yield* transactions("ann")).filter((row) => row.type === "usage").length, spent)
    }).pipe(Effect.provide(services))
  })
})

describe("a vendor's stream that cannot be closed", () => {
  for (const [how, close] of [
    ["fails", Effect.die(new Error("A mistake."))],
    ["hangs", Effect.never]
  ] as const) {
    it.effect(`and ${how} neither keeps the reader waiting nor the credits held`, () => {
      const model = scriptedModel(() => Stream.ensuring(says(["Hello"], { input: 1_000, output: 500 }), close))
      return Effect.gen(function* () {
        const asking = yield* Effect.forkChild(ask("ann", "Hi"))
        yield* seconds(10)
        assert.isDefined(asking.pollUnsafe())
        assert.strictEqual((yield* Fiber.join(asking)).text, "Hello")
        assert.deepInclude(yield* balance("ann"), { held: 0, available: 97 })
      }).pipe(Effect.provide(world(model)))
    })
  }
})
