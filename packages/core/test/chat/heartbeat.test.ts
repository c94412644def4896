import { assert, layer } from "@effect/vitest"
import { ofReply } from "@parley/core/testing"
import { HoldSweeper, noCrmLayer, noPayments } from "@parley/core/effect"
import {
  CreditLedger as Ledger,
  ModelFailed,
  type ReceiptDraft,
  RunningReplies,
  StorageFailed,
  paymentProviderLayer
} from "@parley/core/adapter"
import { Context, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  ask,
  balance,
  modelsFrom,
  plainParser,
  says,
  type ScriptedModel,
  scriptedModel,
  transactions
} from "./world.ts"
import { Catalog, inMemoryStorageLayer, parleyLayer } from "@parley/core/effect"
import { makeCatalog, type StoragePorts } from "@parley/core"
import { ChatModels, DocumentParser } from "@parley/core/adapter"

const PRICES = {
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 1_000, minimumCredits: 1 } },
  tiers: { free: { monthlyCredits: 100_000 } }
}

/** A model that writes one word a second, as many as requested. */
const slow = (words: number) =>
  scriptedModel(() =>
    Stream.concat(
      Stream.fromIterable(Array.from({ length: words }, () => ({ _tag: "text-delta" as const, text: "word " }))).pipe(
        Stream.rechunk(1),
        Stream.schedule(Schedule.spaced("1 second"))
      ),
      says([], { input: 10, output: words })
    )
  )

type Stores = Pick<StoragePorts, "ledger" | "runningReplies">

/** Everything in memory, over stores that `change` may put something in front of. */
const worldWith = (
  model: ScriptedModel,
  change: (stores: Stores) => Partial<Stores>,
  prices: Parameters<typeof makeCatalog>[0] = PRICES
) => {
  const changed = Effect.gen(function* () {
    const stores = { ledger: yield* Ledger, runningReplies: yield* RunningReplies }
    const { ledger, runningReplies } = { ...stores, ...change(stores) }
    return Context.make(Ledger, ledger).pipe(Context.add(RunningReplies, runningReplies))
  })
  const storage = Layer.effectContext(changed).pipe(Layer.provideMerge(inMemoryStorageLayer))
  const ports = Layer.mergeAll(
    paymentProviderLayer(noPayments),
    noCrmLayer,
    Layer.succeed(Catalog, makeCatalog(prices)),
    Layer.succeed(ChatModels, modelsFrom(model)),
    Layer.succeed(DocumentParser, plainParser),
    storage
  )
  return parleyLayer.pipe(Layer.provideMerge(ports))
}

let renewals: Array<number> = []
const counting = worldWith(slow(600), ({ runningReplies }) => ({
  runningReplies: {
    ...runningReplies,
    write: (input) => {
      renewals.push(input.beats.length)
      return runningReplies.write(input)
    }
  }
}))

layer(counting)("the heartbeat of open replies", (it) => {
  it.effect("a slow reply that outlives many hold lives is never swept, and is charged what it really cost", () =>
    Effect.gen(function* () {
      const sweeper = yield* HoldSweeper
      const sweeping = yield* Effect.forkChild(sweeper.run)
      const replies = yield* Effect.forkChild(
        Effect.all([ask("ada", "Go on."), ask("ben", "Go on.")], { concurrency: "unbounded" })
      )
      for (let second = 0; second < 605; second += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.join(replies)
      for (const user of ["ada", "ben"]) {
        const [usage] = yield* transactions(user)
        assert.deepInclude(usage, { type: "usage", amount: -600 })
        assert.strictEqual(usage?.receipt?.ended, "completed")
        assert.strictEqual((yield* balance(user)).held, 0)
      }
      assert.isTrue(
        renewals.every((holds) => holds === 2),
        "one call renews all open replies"
      )
      assert.isAtLeast(renewals.length, 295)
      assert.isAtMost(renewals.length, 305)
      renewals = []
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(renewals, [], "nothing beats while no reply is open")
      yield* Fiber.interrupt(sweeping)
    })
  )
})

let drafts: Array<ReceiptDraft | undefined> = []
const passingOn = worldWith(
  scriptedModel(({ model }) =>
    model.id === "model-a-mini"
      ? Stream.fail(new ModelFailed({ model: model.id, reason: "unavailable", retryable: true }))
      : Stream.concat(Stream.make({ _tag: "text-delta", text: "One." }), Stream.never)
  ),
  ({ runningReplies }) => ({
    runningReplies: {
      ...runningReplies,
      write: (input) => {
        drafts = input.beats.map(({ hold }) => hold.draft)
        return runningReplies.write(input)
      }
    }
  }),
  {
    models: {
      "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 9, minimumCredits: 9, fallback: "model-a" },
      "model-a": { creditsPer1kInput: 0, creditsPer1kOutput: 3, minimumCredits: 3 }
    },
    tiers: { free: { monthlyCredits: 100_000, models: ["model-a-mini", "model-a"] } }
  }
)

layer(passingOn)("the heartbeat of a reply that a fallback writes", (it) => {
  it.effect("records the fallback and its price, by which it is charged should the process die", () =>
    Effect.gen(function* () {
      const reply = yield* Effect.forkChild(ask("eve", "Go on."))
      for (let second = 0; second < 4; second += 1) yield* TestClock.adjust("1 second")
      assert.deepInclude(drafts[0], { model: "model-a", estimated: true })
      assert.deepInclude(ofReply(drafts[0]).price, { creditsPer1kOutput: 3, minimumCredits: 3 })
      yield* Fiber.interrupt(reply)
    })
  )
})

let beats = 0
const stumbling = worldWith(slow(300), ({ runningReplies }) => ({
  runningReplies: {
    ...runningReplies,
    write: (input) => (++beats === 1 ? Effect.die(new Error("A mistake.")) : runningReplies.write(input))
  }
}))

layer(stumbling)("a heartbeat that fails unexpectedly", (it) => {
  it.effect("is followed by the next, so that a living reply is not swept", () =>
    Effect.gen(function* () {
      const sweeping = yield* Effect.forkChild(Effect.flatMap(HoldSweeper, (sweeper) => sweeper.run))
      const reply = yield* Effect.forkChild(ask("dan", "Go on."))
      for (let second = 0; second < 305; second += 1) yield* TestClock.adjust("1 second")
      yield* Fiber.join(reply)
      const [usage] = yield* transactions("dan")
      assert.deepInclude(usage, { type: "usage", amount: -300 })
      assert.strictEqual(usage?.receipt?.ended, "completed")
      yield* Fiber.interrupt(sweeping)
    })
  )
})

const unreachable = new StorageFailed({ operation: "CreditLedger.settle", retryable: false, cause: new Error("gone") })
const dying = worldWith(slow(600), ({ ledger }) => ({
  ledger: {
    ...ledger,
    run: (operation) =>
      operation.name === "settle" || operation.name === "release" ? Effect.fail(unreachable) : ledger.run(operation)
  }
}))

layer(dying)("replies whose process died", (it) => {
  it.effect("are charged what the last heartbeat recorded, once the hold's life is over", () =>
    Effect.gen(function* () {
      const { sweep } = yield* HoldSweeper
      const reply = yield* Effect.forkChild(ask("cleo", "Go on."))
      yield* Effect.forEach(Array.from({ length: 100 }), () => TestClock.adjust("1 second"), { discard: true })
      yield* Fiber.interrupt(reply)
      assert.deepStrictEqual(yield* sweep, { charged: 0, released: 0, credits: 0, returned: 0, refused: 0 })
      yield* TestClock.adjust("1 minute")
      const { charged, credits } = yield* sweep
      assert.strictEqual(charged, 1)
      assert.isAtLeast(credits, 97)
      assert.isAtMost(credits, 101)
      const [usage] = yield* transactions("cleo")
      assert.deepInclude(usage?.receipt, { ended: "expired", estimated: true, charged: credits })
      assert.strictEqual((yield* balance("cleo")).held, 0)
    })
  )
})
