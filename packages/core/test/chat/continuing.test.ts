import { assert, describe, it } from "@effect/vitest"
import { CreditUpkeep } from "@parley/core/adapter"
import {
  Catalog,
  ChatService,
  CreditService,
  inMemoryStorageLayer,
  noCrmLayer,
  noPayments,
  openStorageLayer,
  parleyLayer,
  type SendInput
} from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { paymentProviderLayer } from "@parley/core/adapter"
import {
  ChatModels,
  type ChatModelRequest,
  DocumentParser,
  ModelFailed,
  type ReplyPart,
  RunningReplies,
  StorageFailed
} from "@parley/core/adapter"
import { storagePortsFromContext } from "@parley/core/effect"
import type { StoragePorts } from "@parley/core"
import { ofReply } from "@parley/core/testing"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { modelsFrom, plainParser, scriptedModel, sweepAway } from "./world.ts"
import { digestAtOnce } from "../digestAtOnce.ts"

/** A token costs a credit; the input nothing. */
const config = {
  models: {
    "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 1_000, minimumCredits: 1, maxOutputTokens: 500 }
  },
  tiers: { free: { monthlyCredits: 10_000 } }
}

const failure = new ModelFailed({ model: "model-a-mini", reason: "cut-off", retryable: true })

/** A model that writes the texts of the test, one request at a time. */
const toldModel = () => {
  let parts = Effect.runSync(Queue.unbounded<ReplyPart, ModelFailed | Cause.Done>())
  let left = false
  const requests: Array<ChatModelRequest> = []
  const model = scriptedModel((request) => {
    requests.push(request)
    parts = Effect.runSync(Queue.unbounded<ReplyPart, ModelFailed | Cause.Done>())
    left = false
    return Stream.fromQueue(parts).pipe(Stream.ensuring(Effect.sync(() => (left = true))))
  })
  return {
    model,
    requests,
    isLeft: () => left,
    say: (text: string) => Effect.sync(() => Queue.offerUnsafe(parts, { _tag: "text-delta", text })),
    complete: (output: number) =>
      Effect.sync(() =>
        Queue.offerUnsafe(parts, {
          _tag: "end",
          reason: "completed",
          usage: { freshInput: 1, cacheRead: 0, cacheWrite: 0, output }
        })
      ),
    fail: Effect.sync(() => Queue.failCauseUnsafe(parts, Cause.fail(failure)))
  }
}

type Told = ReturnType<typeof toldModel>

/** Servers on one store, each with its own services and its own end. */
const openWorld = Effect.fnUntraced(function* (
  overrides: object = {},
  change: (stores: StoragePorts) => StoragePorts = (stores) => stores
) {
  const told = toldModel()
  const scope = yield* Effect.scope
  const stores = change(yield* Effect.provide(storagePortsFromContext, yield* Layer.build(inMemoryStorageLayer)))
  const ports = Layer.mergeAll(
    paymentProviderLayer(noPayments),
    noCrmLayer,
    Layer.succeed(Catalog, makeCatalog({ ...config, ...overrides })),
    Layer.succeed(ChatModels, modelsFrom(told.model)),
    Layer.succeed(DocumentParser, plainParser),
    openStorageLayer(stores)
  )
  const server = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const services = yield* Layer.buildWithScope(Layer.provideMerge(Layer.fresh(parleyLayer), ports), own)
    return { chat: Context.get(services, ChatService), services, close: Scope.close(own, Exit.void) }
  })
  const [one, other] = [yield* server, yield* server]
  const credits = Context.get(one.services, CreditService)
  return { told, stores, one, other, credits }
})

type World = Effect.Success<ReturnType<typeof openWorld>>
type Server = World["one"]

const USER = "ada"
const request = (more: object = {}) => ({ messages: [{ role: "user", content: "Go on." }], ...more })

/** Sends a message, and sets the first text. Reads the reply in a scope of its own, which the test closes. */
const send = Effect.fnUntraced(function* (
  server: Server,
  told: Told,
  more: Partial<SendInput> & { body?: object } = {}
) {
  const { body, ...input } = more
  const reader = yield* Scope.make()
  const asking = yield* Effect.forkChild(
    Scope.provide(
      server.chat.send({ userId: USER, request: request(body), onDisconnect: "continue", ...input }),
      reader
    )
  )
  const before = told.requests.length
  yield* until(Effect.sync(() => told.requests.length > before || asking.pollUnsafe() !== undefined))
  return { asking, leave: Scope.close(reader, Exit.void), abandon: Fiber.interrupt(asking) }
})

/** Lets everything go on until something is so. */
const until = (condition: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let round = 0; round < 1_000; round += 1) {
      if (yield* condition) return
      yield* TestClock.adjust("50 millis")
    }
    throw new Error("It never came to pass.")
  })

const balance = ({ credits }: World) => credits.balance(USER)
const isSettled = (world: World) => Effect.map(Effect.orDie(balance(world)), ({ held }) => held === 0)
const usage = ({ credits }: World) =>
  Effect.map(credits.history({ userId: USER, limit: 50, offset: 0, type: "usage" }), ({ transactions }) => transactions)
const messages = ({ one }: World, chatId: string) =>
  Effect.map(one.chat.get(USER, chatId), (found) => found.messages.map(({ content, state }) => ({ content, state })))

/** Everything that a reader of a running reply gets, and how that ended. */
const readAll = (server: Server, chatId: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const joined = yield* server.chat.join(USER, chatId)
      if (joined === undefined) return undefined
      let text = ""
      const exit = yield* Effect.exit(Stream.runForEach(joined.text, (piece) => Effect.sync(() => (text += piece))))
      return { messageId: joined.messageId, model: joined.model, text, complete: Exit.isSuccess(exit) }
    })
  )

/** A reply whose first words are there. */
const begun = Effect.fnUntraced(function* (world: World, first = "Hello ") {
  const { asking, leave } = yield* send(world.one, world.told)
  yield* world.told.say(first)
  const reply = yield* Fiber.join(asking)
  return { ...reply, leave }
})

digestAtOnce()

/** A world whose turns are stored once the gate is open. */
const lateWorld = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const late = ({ beginTurn, ...chats }: StoragePorts["chats"]): StoragePorts["chats"] => ({
    ...chats,
    beginTurn: (turn) => Effect.andThen(Deferred.await(gate), beginTurn(turn))
  })
  return { gate, world: yield* openWorld({}, (stores) => ({ ...stores, chats: late(stores.chats) })) }
})

describe("a reply that is sent to continue", () => {
  it.effect("goes on when its reader leaves: it is stored whole, and charged once", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { chatId, leave } = yield* begun(world)
      yield* leave
      yield* TestClock.adjust("5 seconds")
      assert.isFalse(world.told.isLeft())
      yield* world.told.say("there.")
      yield* world.told.complete(7)
      yield* until(isSettled(world))
      assert.deepStrictEqual((yield* messages(world, chatId)).at(-1), { content: "Hello there.", state: "complete" })
      const [charged, ...more] = yield* usage(world)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(charged?.receipt, { charged: 7, ended: "completed", estimated: false })
      assert.strictEqual(yield* readAll(world.other, chatId), undefined)
      assert.strictEqual((yield* world.one.chat.get(USER, chatId)).running, undefined)
    })
  )

  it.effect("goes to its first reader as any other", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { text } = yield* begun(world)
      const reading = yield* Effect.forkChild(Stream.mkString(text))
      yield* world.told.say("there.")
      yield* world.told.complete(7)
      yield* until(isSettled(world))
      assert.strictEqual(yield* Fiber.join(reading), "Hello there.")
    })
  )

  it.effect("ends when its reader leaves, and its bill, where it was not sent to continue", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { asking, leave } = yield* send(world.one, world.told, { onDisconnect: "end" })
      yield* world.told.say("Hello ")
      const { chatId, text } = yield* Fiber.join(asking)
      yield* Effect.forkChild(Stream.runDrain(text))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* readAll(world.one, chatId), undefined)
      yield* leave
      assert.isTrue(world.told.isLeft())
      assert.deepInclude((yield* messages(world, chatId)).at(-1), { state: "stopped" })
      assert.deepInclude((yield* usage(world))[0]?.receipt, { ended: "stopped" })
    })
  )

  it.effect("is joined from its beginning to its end, on its own server and on another, by any number of readers", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { chatId, leave, messageId } = yield* begun(world)
      yield* TestClock.adjust("1 second")
      const { running } = yield* world.other.chat.get(USER, chatId)
      assert.deepInclude(running, { messageId, model: "model-a-mini" })
      const readers = yield* Effect.forkChild(
        Effect.all(
          [world.one, world.other, world.other].map((server) => readAll(server, chatId)),
          {
            concurrency: "unbounded"
          }
        )
      )
      yield* leave
      for (const word of ["how ", "are ", "you"]) {
        yield* TestClock.adjust("700 millis")
        yield* world.told.say(word)
      }
      yield* world.told.complete(7)
      yield* until(Effect.sync(() => readers.pollUnsafe() !== undefined))
      const whole = { messageId, model: "model-a-mini", text: "Hello how are you", complete: true }
      assert.deepStrictEqual(yield* Fiber.join(readers), [whole, whole, whole])
    })
  )

  it.effect("is joined at any moment as exactly the whole text, once, or is over", () =>
    Effect.gen(function* () {
      const moment = fc.record({
        after: fc.nat(4_000),
        server: fc.constantFrom("one", "other") as fc.Arbitrary<"one" | "other">
      })
      const piece = fc.record({
        text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter((text) => !text.includes("\0")),
        after: fc.nat(900)
      })
      const run = (
        pieces: ReadonlyArray<{ text: string; after: number }>,
        moments: ReadonlyArray<{ after: number; server: "one" | "other" }>
      ) =>
        Effect.gen(function* () {
          const world = yield* openWorld()
          const { chatId, leave } = yield* begun(world)
          yield* leave
          const joining = yield* Effect.forkChild(
            Effect.forEach(
              moments,
              ({ after, server }) => Effect.andThen(Effect.sleep(after), readAll(world[server], chatId)),
              { concurrency: "unbounded" }
            )
          )
          const speaking = yield* Effect.forkChild(
            Effect.forEach(pieces, ({ after, text }) => Effect.andThen(Effect.sleep(after), world.told.say(text))).pipe(
              Effect.andThen(world.told.complete(7))
            )
          )
          yield* until(Effect.sync(() => joining.pollUnsafe() !== undefined && speaking.pollUnsafe() !== undefined))
          yield* until(isSettled(world))
          const whole = `Hello ${pieces.map(({ text }) => text).join("")}`
          for (const read of yield* Fiber.join(joining)) {
            if (read !== undefined) assert.deepInclude(read, { text: whole, complete: true })
          }
          assert.deepStrictEqual((yield* messages(world, chatId)).at(-1), { content: whole, state: "complete" })
          assert.strictEqual((yield* usage(world)).length, 1)
        }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
      const property = fc.asyncProperty(
        fc.array(piece, { maxLength: 8 }),
        fc.array(moment, { minLength: 1, maxLength: 5 }),
        run
      )
      yield* Effect.promise(() => fc.assert(property, { numRuns: 40 }))
    })
  )

  it.effect(
    "that fails half-way breaks off for who joined it, is kept as failed, and is charged for what was written",
    () =>
      Effect.gen(function* () {
        const world = yield* openWorld()
        const { chatId, leave } = yield* begun(world)
        yield* leave
        yield* TestClock.adjust("100 millis")
        const reading = yield* Effect.forkChild(
          Effect.all([readAll(world.one, chatId), readAll(world.other, chatId)], { concurrency: "unbounded" })
        )
        yield* TestClock.adjust("1 second")
        yield* world.told.say("there")
        yield* TestClock.adjust("1 second")
        yield* world.told.fail
        yield* until(Effect.sync(() => reading.pollUnsafe() !== undefined))
        for (const read of yield* Fiber.join(reading))
          assert.deepInclude(read, { text: "Hello there", complete: false })
        assert.deepStrictEqual((yield* messages(world, chatId)).at(-1), { content: "Hello there", state: "failed" })
        assert.deepInclude((yield* usage(world))[0]?.receipt, { ended: "failed", estimated: true })
        assert.strictEqual((yield* balance(world)).held, 0)
      })
  )

  it.effect(
    "is stopped on its own server and on another: it is kept, charged for what was written, and costs no more",
    () =>
      Effect.gen(function* () {
        for (const server of ["one", "other"] as const) {
          const world = yield* openWorld()
          const { chatId, leave } = yield* begun(world)
          yield* leave
          const reading = yield* Effect.forkChild(readAll(world.one, chatId))
          yield* TestClock.adjust("2 seconds")
          const stopping = yield* Effect.forkChild(world[server].chat.stop(USER, chatId))
          yield* until(Effect.sync(() => stopping.pollUnsafe() !== undefined))
          yield* Fiber.join(stopping)
          assert.isTrue(world.told.isLeft())
          assert.deepStrictEqual((yield* messages(world, chatId)).at(-1), { content: "Hello ", state: "stopped" })
          assert.deepInclude((yield* usage(world))[0]?.receipt, { ended: "stopped" })
          assert.strictEqual((yield* balance(world)).held, 0)
          assert.deepInclude(yield* Fiber.join(reading), { text: "Hello ", complete: false })
          yield* world[server].chat.stop(USER, chatId)
        }
      })
  )

  it.effect("is joined and stopped on another server as soon as its sender has the first words", () =>
    Effect.gen(function* () {
      const { gate, world } = yield* lateWorld
      const { asking } = yield* send(world.one, world.told)
      yield* world.told.say("Hello ")
      yield* TestClock.adjust("1 second")
      const early = asking.pollUnsafe()
      yield* Deferred.succeed(gate, undefined)
      assert.isUndefined(early)
      yield* until(Effect.sync(() => asking.pollUnsafe() !== undefined))
      const { chatId, messageId } = yield* Fiber.join(asking)
      const joining = yield* Effect.forkChild(Effect.scoped(world.other.chat.join(USER, chatId)))
      yield* until(Effect.sync(() => joining.pollUnsafe() !== undefined))
      assert.strictEqual((yield* Fiber.join(joining))?.messageId, messageId)
      const stopping = yield* Effect.forkChild(world.other.chat.stop(USER, chatId))
      yield* until(Effect.sync(() => stopping.pollUnsafe() !== undefined))
      yield* Fiber.join(stopping)
      assert.deepStrictEqual((yield* messages(world, chatId)).at(-1), { content: "Hello ", state: "stopped" })
    })
  )

  it.effect("of a new chat is read and stopped on its own server, though its turn is stored seconds later", () =>
    Effect.gen(function* () {
      const { gate, world } = yield* lateWorld
      const beginning = yield* Effect.forkChild(begun(world))
      yield* until(Effect.sync(() => beginning.pollUnsafe() !== undefined))
      const { chatId } = yield* Fiber.join(beginning)
      const reading = yield* Effect.forkChild(world.one.chat.get(USER, chatId))
      const stopping = yield* Effect.forkChild(world.one.chat.stop(USER, chatId))
      yield* until(Effect.sync(() => world.told.isLeft()))
      assert.isUndefined(reading.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* until(Effect.sync(() => reading.pollUnsafe() !== undefined && stopping.pollUnsafe() !== undefined))
      assert.strictEqual((yield* Fiber.join(reading)).messages[0]?.content, "Go on.")
      yield* Fiber.join(stopping)
      assert.deepStrictEqual((yield* messages(world, chatId)).at(-1), { content: "Hello ", state: "stopped" })
      assert.deepInclude((yield* usage(world))[0]?.receipt, { ended: "stopped" })
    })
  )

  it.effect("that ends while its chat is read is there with its end", () =>
    Effect.gen(function* () {
      let afterLook: Effect.Effect<void> = Effect.void
      const slow = ({ transcript, ...chats }: StoragePorts["chats"]): StoragePorts["chats"] => ({
        ...chats,
        transcript: (input) => Effect.tap(transcript(input), () => Effect.suspend(() => afterLook))
      })
      const world = yield* openWorld({}, (stores) => ({ ...stores, chats: slow(stores.chats) }))
      const { chatId } = yield* begun(world)
      afterLook = Effect.suspend(() => {
        afterLook = Effect.void
        return Effect.andThen(world.told.complete(1), until(isSettled(world)))
      })
      const { messages, running } = yield* world.one.chat.get(USER, chatId)
      assert.isUndefined(running)
      assert.deepInclude(messages.at(-1), { content: "Hello ", state: "complete" })
    })
  )

  it.effect("can be joined or stopped by its owner alone", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { chatId, leave } = yield* begun(world)
      yield* leave
      for (const server of [world.one, world.other]) {
        const joined = yield* Effect.flip(Effect.scoped(server.chat.join("eve", chatId)))
        assert.strictEqual(joined._tag, "ChatNotFound")
        assert.strictEqual((yield* Effect.flip(server.chat.stop("eve", chatId)))._tag, "ChatNotFound")
      }
      assert.isFalse(world.told.isLeft())
    })
  )

  it.effect("goes on also where its reader leaves before the first word, and can be joined before it", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const first = yield* begun(world)
      yield* world.told.complete(2)
      yield* until(isSettled(world))
      const { abandon, leave } = yield* send(world.one, world.told, { body: { chatId: first.chatId } })
      yield* abandon
      yield* leave
      const reading = yield* Effect.forkChild(
        Effect.all([readAll(world.one, first.chatId), readAll(world.other, first.chatId)], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(world.told.isLeft())
      yield* world.told.say("Late.")
      yield* world.told.complete(2)
      yield* until(Effect.sync(() => reading.pollUnsafe() !== undefined))
      for (const read of yield* Fiber.join(reading)) assert.deepInclude(read, { text: "Late.", complete: true })
      assert.deepInclude((yield* messages(world, first.chatId)).at(-1), { content: "Late." })
    })
  )

  it.effect("that comes to nothing costs nothing, and leaves nothing that runs", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const first = yield* begun(world)
      yield* world.told.complete(2)
      yield* until(isSettled(world))
      const { asking } = yield* send(world.one, world.told, { body: { chatId: first.chatId } })
      yield* TestClock.adjust("1 second")
      assert.notStrictEqual((yield* world.other.chat.get(USER, first.chatId)).running, undefined)
      const reading = yield* Effect.forkChild(Effect.exit(readAll(world.other, first.chatId)))
      yield* TestClock.adjust("300 millis")
      yield* world.told.fail
      assert.isTrue(Exit.isFailure(yield* Fiber.await(asking)))
      yield* until(Effect.sync(() => reading.pollUnsafe() !== undefined))
      assert.isTrue(Exit.isFailure(yield* Fiber.join(reading)))
      assert.strictEqual((yield* world.other.chat.get(USER, first.chatId)).running, undefined)
      assert.strictEqual((yield* messages(world, first.chatId)).length, 2)
      assert.strictEqual((yield* usage(world)).length, 1)
      assert.strictEqual((yield* balance(world)).held, 0)
    })
  )

  it.effect("is joined by its request sent again under the same key, and is charged once", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const key = { idempotencyKey: "once" }
      const { asking, leave } = yield* send(world.one, world.told, key)
      yield* world.told.say("Hello ")
      const { messageId } = yield* Fiber.join(asking)
      yield* leave
      yield* TestClock.adjust("1 second")
      const again = yield* Effect.forkChild(
        Effect.scoped(
          Effect.gen(function* () {
            const reply = yield* world.other.chat.send({
              userId: USER,
              request: request(),
              onDisconnect: "continue",
              ...key
            })
            return [reply.messageId, yield* Stream.mkString(reply.text)]
          })
        )
      )
      yield* TestClock.adjust("1 second")
      yield* world.told.say("there.")
      yield* world.told.complete(7)
      yield* until(Effect.sync(() => again.pollUnsafe() !== undefined))
      assert.deepStrictEqual(yield* Fiber.join(again), [messageId, "Hello there."])
      yield* until(isSettled(world))
      assert.strictEqual(world.told.requests.length, 1)
      assert.strictEqual((yield* usage(world)).length, 1)
    })
  )

  it.effect("lets a request under its key that waits for the first words go when it is left", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const key = { idempotencyKey: "once" }
      yield* send(world.one, world.told, key)
      const asking = world.one.chat.send({ userId: USER, request: request(), onDisconnect: "continue", ...key })
      const again = yield* Effect.forkChild(Effect.scoped(asking))
      yield* TestClock.adjust("1 second")
      const leaving = yield* Effect.forkChild(Fiber.interrupt(again))
      yield* TestClock.adjust("1 second")
      assert.isDefined(leaving.pollUnsafe())
      assert.strictEqual(world.told.requests.length, 1)
      assert.isFalse(world.told.isLeft())
      yield* world.told.complete(2)
    })
  )

  it.effect("ends where its chat is deleted", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { chatId, leave } = yield* begun(world)
      yield* leave
      yield* TestClock.adjust("1 second")
      yield* world.other.chat.remove(USER, chatId)
      yield* until(Effect.sync(() => world.told.isLeft()))
      yield* until(isSettled(world))
    })
  )

  it.effect("is kept and charged for what was written where its server stops", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { chatId, leave } = yield* begun(world)
      yield* leave
      yield* TestClock.adjust("1 second")
      yield* world.one.close
      assert.isTrue(world.told.isLeft())
      const { messages: kept, running } = yield* world.other.chat.get(USER, chatId)
      assert.strictEqual(running, undefined)
      assert.deepInclude(kept.at(-1), { content: "Hello ", state: "stopped" })
      assert.strictEqual((yield* balance(world)).held, 0)
      assert.strictEqual((yield* usage(world)).length, 1)
    })
  )

  it.effect("counts among the replies that are written at once", () =>
    Effect.gen(function* () {
      const tiers = { free: { monthlyCredits: 10_000, maxConcurrentReplies: 1 } }
      const world = yield* openWorld({ tiers })
      const { leave } = yield* begun(world)
      yield* leave
      const { asking } = yield* send(world.other, world.told)
      const refused = yield* Effect.flip(Fiber.join(asking))
      assert.strictEqual(refused._tag, "TooManyReplies")
    })
  )

  it.effect("is charged for what was stored, and not for what was not, should its process die", () =>
    Effect.gen(function* () {
      let stores = true
      const down = new StorageFailed({ operation: "write", retryable: true, cause: new Error("down") })
      const world = yield* openWorld({}, (all) => ({
        ...all,
        runningReplies: RunningReplies.of({
          ...all.runningReplies,
          write: (input) => (stores ? all.runningReplies.write(input) : Effect.fail(down))
        })
      }))
      const { leave } = yield* begun(world, "one two three ")
      yield* leave
      yield* TestClock.adjust("3 seconds")
      stores = false
      yield* world.told.say("and many, many more words that nobody has stored")
      yield* TestClock.adjust("6 seconds")
      yield* Effect.provideService(sweepAway, CreditUpkeep, world.stores.creditUpkeep)
      const [charged] = yield* usage(world)
      assert.deepInclude(charged?.receipt, { ended: "expired" })
      assert.isBelow(ofReply(charged?.receipt).usage.output ?? NaN, 6)
      assert.isAbove(ofReply(charged?.receipt).usage.output ?? NaN, 1)
    })
  )
})
