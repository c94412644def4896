import { assert, describe, it } from "@effect/vitest"
import { HoldSweeper, parleyLayer } from "@parley/core/effect"
import { StorageFailed } from "@parley/core/adapter"
import { ChatStore, CreditLedger } from "@parley/core/adapter"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ask, balance, says, scriptedModel, transactions, world } from "./world.ts"

/** A ledger whose `settle` fails for as long as `down` says, and that counts its heartbeats. */
const outage = () => {
  const state = { down: true, renewed: 0 }
  const layer = Layer.effect(
    CreditLedger,
    Effect.map(CreditLedger, (ledger) =>
      CreditLedger.of({
        ...ledger,
        renew: (input) => {
          state.renewed += 1
          return ledger.renew(input)
        },
        run: (operation) =>
          Effect.suspend(() =>
            state.down && operation.name === "settle"
              ? Effect.fail(new StorageFailed({ operation: "settle", retryable: true, cause: new Error("down") }))
              : ledger.run(operation)
          )
      })
    )
  )
  return { state, layer }
}

/** Chats and a ledger that fail what they are asked, but for reserving, for as long as `down` says. */
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
        renew: (input) => failing(ledger.renew(input)),
        sweep: (input) => failing(ledger.sweep(input)),
        run: (operation) => (operation.name === "settle" ? failing(ledger.run(operation)) : ledger.run(operation))
      })
    )
  )
  const chats = Layer.effect(
    ChatStore,
    Effect.map(ChatStore, (store) =>
      ChatStore.of({
        ...store,
        beginTurn: (input) => failing(store.beginTurn(input)),
        endTurn: (input) => failing(store.endTurn(input))
      })
    )
  )
  return { state, layer: Layer.merge(ledgers, chats) }
}

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
      yield* TestClock.adjust("10 seconds")
      const { reply: answered, text } = yield* Fiber.join(asking)
      assert.strictEqual(text, "Hello world")
      yield* TestClock.adjust("2 minutes")
      state.down = false
      yield* TestClock.adjust("30 seconds")
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
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(asking)).text, "Hello")
      assert.isAbove((yield* balance("ann")).held, 0)
      yield* TestClock.adjust("5 minutes")
      assert.isAbove(state.renewed, 100)
      assert.isAbove((yield* balance("ann")).held, 0)
      state.down = false
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 97 })
      const charged = (yield* transactions("ann")).filter((row) => row.type === "usage")
      assert.deepStrictEqual(
        charged.map((row) => row.receipt?.ended),
        ["completed"]
      )
      const after = state.renewed
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(state.renewed, after)
    }).pipe(Effect.provide(services))
  })
})
