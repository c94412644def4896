import { assert, describe, it } from "@effect/vitest"
import { ChatService, CreditService, settingsLayer } from "@parley/core/effect"
import { type ChatModelRequest, ModelFailed, type ReplyPart } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import { Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import fc from "fast-check"
import type { ReplyReceipt } from "../../src/credits/Transaction.ts"
import { maxPriceOf, priceOf } from "../../src/credits/rules/price.ts"
import { maxRequestTokens } from "../../src/models/messageTokens.ts"
import {
  ask,
  balance,
  reading,
  says,
  type ScriptedModel,
  scriptedModel,
  sweepAway,
  transactions,
  world
} from "./world.ts"

const PLACE = "Marie Dubois comes from Lyon."
const TEXTS = ["The report about storks was written in spring by its author.", PLACE, "Gardens have fences."]

const FIRST = "Who is the author of the report about storks that was written in spring?"
const SECOND = "And where was she born?"
const REWRITE = "Where does Marie Dubois come from?"

const isRewriting = ({ messages }: ChatModelRequest) => messages[0]?.content.includes("for a search") === true

/** A model that rewrites as given, and answers otherwise. */
const rewriting = (
  rewrite: ScriptedModel["parts"],
  answer: ScriptedModel["parts"] = () => says(["Marie Dubois."], { input: 1_000, output: 10 })
) => scriptedModel((request) => (isRewriting(request) ? rewrite(request) : answer(request)))

const good = () => says([`"${REWRITE}"\n`], { input: 300, output: 9 })

const CONFIG = {
  models: {
    "model-a-mini": { creditsPer1kInput: 2, creditsPer1kOutput: 8, minimumCredits: 1 },
    "model-a": { creditsPer1kInput: 5, creditsPer1kOutput: 20, minimumCredits: 1 }
  },
  tiers: { free: { models: ["model-a", "model-a-mini"], monthlyCredits: 10_000 } }
}

const on = (model: ScriptedModel, config: unknown = CONFIG, { holdTtlMs = 60_000, wholeTokens = 0 } = {}) =>
  world(model, config).pipe(
    Layer.provideMerge(settingsLayer({ rewriteQuestions: true, replies: { wholeTokens }, holdTtlMs }))
  )

const begin = Effect.gen(function* () {
  const documentIds = yield* reading("ann", ...TEXTS)
  const { reply } = yield* ask("ann", FIRST, { documentIds })
  return { documentIds, chatId: reply.chatId }
})

const receipts = Effect.map(transactions("ann"), (rows) =>
  rows
    .filter(({ type }) => type === "usage")
    .toReversed()
    .map(({ amount, receipt }) => ({ amount, receipt: receipt as ReplyReceipt }))
)

const isVerified = Effect.gen(function* () {
  const { differences } = yield* (yield* testedLedger).verify({ limit: 100, after: undefined })
  assert.deepStrictEqual(differences, [])
  assert.strictEqual((yield* balance("ann")).held, 0)
})

describe("a question that continues a conversation", () => {
  const model = rewriting(good)
  it.live("is rewritten once by the tier's cheapest model, and finds what it could not find alone", () =>
    Effect.gen(function* () {
      const { reply } = yield* Effect.flatMap(begin, (chat) => ask("ann", SECOND, chat))
      const asked = model.requests.filter(isRewriting)
      assert.deepStrictEqual(
        asked.map(({ model: { id } }) => id),
        ["model-a-mini"]
      )
      const told = asked[0]?.messages.at(-1)?.content ?? ""
      for (const part of [FIRST, "Marie Dubois.", SECOND]) assert.include(told, part)
      assert.isTrue(reply.sources.some(({ text }) => text.includes(PLACE)))
      const answered = model.requests.at(-1)
      assert.isTrue(answered?.messages.some(({ content }) => content.includes(PLACE)))
      const { messages } = yield* ChatService.use((chats) => chats.get("ann", reply.chatId))
      assert.deepStrictEqual(messages.at(-1)?.sources, reply.sources)
    }).pipe(Effect.provide(on(model)))
  )

  it.live("costs what its reply and its rewrite cost, and the receipt has both", () =>
    Effect.gen(function* () {
      const chat = yield* begin
      const [first] = yield* receipts
      assert.notProperty(first?.receipt, "rewrite")
      yield* ask("ann", SECOND, chat)
      const [, second, ...more] = yield* receipts
      assert.deepStrictEqual(more, [])
      const { price, rewrite, usage } = second?.receipt ?? assert.fail()
      assert.deepInclude(rewrite, {
        model: "model-a-mini",
        usage: { freshInput: 300, cacheRead: 0, cacheWrite: 0, output: 9 },
        estimated: false,
        credits: 1
      })
      assert.strictEqual(rewrite?.credits, priceOf(rewrite?.usage ?? assert.fail(), rewrite?.price ?? assert.fail()))
      assert.strictEqual(second?.amount, -(priceOf(usage, price) + 1))
      yield* isVerified
    }).pipe(Effect.provide(on(rewriting(good))))
  )

  it.live("of a bot's visitor is rewritten at the cost of the owner, as a part of the bot's usage", () => {
    const model = rewriting(good)
    return Effect.gen(function* () {
      const documentIds = yield* reading("ann", ...TEXTS)
      const bot = crypto.randomUUID()
      const conversationOwner = { visitor: crypto.randomUUID(), bot, botOwner: "ann" }
      const parties = { payer: "ann", documentsOwner: "ann", conversationOwner, source: `bot:${bot}` } as const
      const say = (content: string, chatId?: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const request = { messages: [{ role: "user", content }], documentIds, ...(chatId && { chatId }) }
            const chats = yield* ChatService
            const reply = yield* chats.send({ parties, request, terms: { instructions: "Be brief." } })
            yield* Stream.runDrain(reply.text)
            return reply.chatId
          })
        )
      yield* say(SECOND, yield* say(FIRST))
      const [, second] = yield* receipts
      assert.deepInclude(second?.receipt, { source: `bot:${bot}` })
      assert.strictEqual(second?.receipt.rewrite?.credits, 1)
      assert.lengthOf(model.requests.filter(isRewriting), 1)
      yield* isVerified
    }).pipe(Effect.provide(on(model)))
  })

  it.live("is not rewritten unless the setting asks for it", () => {
    const off = rewriting(good)
    return Effect.gen(function* () {
      yield* ask("ann", SECOND, yield* begin)
      assert.lengthOf(off.requests, 2)
      for (const { receipt } of yield* receipts) assert.notProperty(receipt, "rewrite")
    }).pipe(Effect.provide(world(off, CONFIG)))
  })

  it.live("is not rewritten over documents that are offered whole", () => {
    const model = rewriting(good)
    return Effect.gen(function* () {
      yield* ask("ann", SECOND, yield* begin)
      assert.lengthOf(model.requests, 2)
    }).pipe(Effect.provide(on(model, CONFIG, { wholeTokens: 8_000 })))
  })

  it.live("is not rewritten without documents, and no other question is", () => {
    const model = rewriting(good)
    return Effect.gen(function* () {
      const { chatId, documentIds } = yield* begin
      yield* ask("ann", SECOND, { chatId })
      yield* ask("ann", `${FIRST} Is there another report about herons, ducks and geese?`, { chatId, documentIds })
      assert.deepStrictEqual(model.requests.filter(isRewriting), [])
    }).pipe(Effect.provide(on(model)))
  })
})

const broken = new ModelFailed({ model: "model-a-mini", reason: "unavailable", retryable: true })
const delta = (text: string): ReplyPart => ({ _tag: "text-delta", text })

describe("a rewrite that comes to nothing", () => {
  it.live.each([
    ["fails", () => Stream.fail(broken)],
    ["dies", () => Stream.die("a bug")],
    ["says nothing", () => says([' "" \n'])],
    ["says too much", () => says(["word ".repeat(500)])],
    ["is cut off", () => Stream.make(delta(REWRITE))],
    ["is late", () => Stream.concat(Stream.make(delta(REWRITE)), Stream.never)],
    [
      "cannot be stopped",
      () => Stream.fromEffect(Effect.as(Effect.uninterruptible(Effect.sleep("8 seconds")), delta("Late")))
    ]
  ] as const)("because the model %s leaves the reply as it was, and is not charged", ([, rewrite]) => {
    const model = rewriting(rewrite)
    return Effect.gen(function* () {
      const chat = yield* begin
      const began = Date.now()
      const { reply, text } = yield* ask("ann", SECOND, chat)
      assert.isBelow(Date.now() - began, 4_000)
      assert.strictEqual(text, "Marie Dubois.")
      assert.isFalse(reply.sources.some((source) => source.text.includes(PLACE)))
      assert.lengthOf(model.requests.filter(isRewriting), 1)
      const [, second] = yield* receipts
      assert.notProperty(second?.receipt, "rewrite")
      assert.strictEqual(second?.amount, -6)
      yield* isVerified
    }).pipe(Effect.provide(on(model)))
  })

  it.live("because the reply's reader leaves is free, and so is the reply", () => {
    const model = rewriting(() => Stream.never)
    return Effect.gen(function* () {
      const chat = yield* begin
      const asking = yield* Effect.forkChild(ask("ann", SECOND, chat))
      while (!model.requests.some(isRewriting)) yield* Effect.sleep("5 millis")
      yield* Fiber.interrupt(asking)
      assert.lengthOf(yield* receipts, 1)
      yield* isVerified
    }).pipe(Effect.provide(on(model)))
  })
})

describe("the credits of a rewrite", () => {
  it.live("are charged with a reply that breaks off after its first words, as its input is", () => {
    const model = rewriting(good, ({ messages }) =>
      messages.some(({ content }) => content.includes(SECOND))
        ? Stream.concat(Stream.make(delta("Marie")), Stream.fail(broken))
        : says(["Marie Dubois."])
    )
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(ask("ann", SECOND, yield* begin))
      assert.isTrue(Exit.isFailure(exit))
      const [, second] = yield* receipts
      const { ended, price, rewrite, usage } = second?.receipt ?? assert.fail()
      assert.strictEqual(ended, "failed")
      assert.strictEqual(second?.amount, -(priceOf(usage, price) + (rewrite?.credits ?? Number.NaN)))
      yield* isVerified
    }).pipe(Effect.provide(on(model)))
  })

  it.live("are not charged with a reply that fails before its first words, and once with its repetition", () => {
    let failures = 1
    const model = rewriting(good, ({ messages }) =>
      messages.some(({ content }) => content.includes(SECOND)) && failures-- > 0
        ? Stream.fail(broken)
        : says(["Marie Dubois."])
    )
    return Effect.gen(function* () {
      const { chatId, documentIds } = yield* begin
      const request = { messages: [{ role: "user", content: SECOND }], chatId, documentIds, modelId: "model-a-mini" }
      const send = Effect.scoped(
        Effect.flatMap(
          ChatService.use((chats) => chats.send({ userId: "ann", request, idempotencyKey: "key-1" })),
          ({ text }) => Stream.mkString(text)
        )
      )
      yield* Effect.flip(send)
      assert.lengthOf(yield* receipts, 1)
      const texts = [yield* send, yield* send, yield* send]
      assert.deepStrictEqual(
        texts,
        Array.from({ length: 3 }, () => "Marie Dubois.")
      )
      const [, second, ...more] = yield* receipts
      assert.deepStrictEqual(more, [])
      assert.property(second?.receipt, "rewrite")
      assert.lengthOf(model.requests.filter(isRewriting), 2, "the replayed requests ask for none")
      yield* isVerified
    }).pipe(Effect.provide(on(model)))
  })

  it.live("are charged once if sweeps take the reply's process for dead", () => {
    const goOn = Deferred.makeUnsafe<void>()
    const model = rewriting(good, ({ messages }) =>
      messages.some(({ content }) => content.includes(SECOND))
        ? Stream.concat(
            Stream.make(delta("Marie ")),
            Stream.concat(
              Stream.drain(Stream.fromEffect(Deferred.await(goOn))),
              says(["Dubois"], { input: 1_000, output: 100 })
            )
          )
        : says(["Marie Dubois."])
    )
    return Effect.gen(function* () {
      const chat = yield* begin
      const scope = yield* Scope.make()
      const sent = yield* Scope.provide(
        ChatService.use((chats) =>
          chats.send({ userId: "ann", request: { messages: [{ role: "user", content: SECOND }], ...chat } })
        ),
        scope
      )
      const text = yield* Effect.forkChild(Stream.mkString(sent.text))
      for (let sweeps = 0; sweeps < 2; sweeps += 1) {
        yield* Effect.sleep("500 millis")
        assert.strictEqual((yield* sweepAway).charged, 1 - sweeps)
      }
      yield* Effect.sleep("500 millis")
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(text)
      yield* Scope.close(scope, Exit.void)
      const [, ...rows] = yield* receipts
      assert.deepStrictEqual(
        rows.map(({ receipt }) => "rewrite" in receipt),
        [true, ...rows.slice(1).map(() => false)]
      )
      const charged = rows.reduce((sum, { amount }) => sum - amount, 0)
      const { price, rewrite } = rows[0]?.receipt ?? assert.fail()
      const usage = { freshInput: 1_000, cacheRead: 0, cacheWrite: 0, output: 100 }
      assert.strictEqual(charged, priceOf(usage, price) + (rewrite?.credits ?? Number.NaN))
      yield* isVerified
    }).pipe(Effect.provide(on(model, CONFIG, { holdTtlMs: 600 })))
  })

  const seen = { rewritten: 0, short: 0 }
  const rates = fc.oneof(fc.constantFrom(0, 1, 4, 25), fc.double({ min: 0, max: 60, noNaN: true }))
  it.live("are held before the model is asked, with those of the longest reply, for any price and balance", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.tuple(rates, rates, fc.integer({ min: 1, max: 20 })),
          fc.tuple(rates, rates),
          fc.integer({ min: 0, max: 4_000 }),
          fc.nat(20_000),
          async ([input, output, minimumCredits], [otherInput, otherOutput], left, overused) => {
            const models = {
              "model-a-mini": { creditsPer1kInput: input, creditsPer1kOutput: output, minimumCredits },
              "model-a": { creditsPer1kInput: otherInput, creditsPer1kOutput: otherOutput, minimumCredits: 1 }
            }
            let uncovered: string | undefined
            let rewrote = 0
            const bounds: Array<number> = []
            let heldNow: Effect.Effect<number, unknown> = Effect.succeed(0)
            const watched = (request: ChatModelRequest, parts: ReturnType<typeof says>) =>
              Stream.unwrap(
                Effect.gen(function* () {
                  const { maxOutputTokens, messages, model } = request
                  bounds.push(maxPriceOf(maxRequestTokens(messages), maxOutputTokens, model))
                  const held = yield* heldNow
                  const needed = bounds.reduce((sum, bound) => sum + bound, 0)
                  if (isRewriting(request)) rewrote += 1
                  if (rewrote > 0 && held < needed) uncovered = `${held} of ${needed} credits are held`
                  return parts
                }).pipe(Effect.orDie)
              )
            const model = rewriting(
              (request) => watched(request, says([REWRITE], { input: overused, output: overused })),
              (request) => watched(request, says(["Marie Dubois."], { input: 900, output: 20 }))
            )
            await Effect.runPromise(
              Effect.gen(function* () {
                const chat = yield* begin
                const ledger = yield* testedLedger
                const { available } = yield* balance("ann")
                yield* ledger.adjust({ userId: "ann", key: "taken", amount: left - available, reason: "a test" })
                const credits = yield* CreditService
                heldNow = Effect.map(credits.balance("ann"), ({ held }) => held)
                bounds.length = 0
                yield* Effect.exit(ask("ann", SECOND, chat))
                assert.strictEqual(uncovered, undefined)
                seen[rewrote > 0 ? "rewritten" : "short"] += 1
                for (const { amount, receipt } of (yield* receipts).slice(1)) {
                  const cost = priceOf(receipt.usage, receipt.price) + (receipt.rewrite?.credits ?? 0)
                  assert.strictEqual(-amount, Math.min(cost, receipt.held))
                }
                assert.isAtLeast((yield* balance("ann")).available, 0)
                yield* isVerified
              }).pipe(Effect.provide(on(model, { ...CONFIG, models })))
            )
          }
        ),
        { numRuns: 40 }
      )
    ).pipe(
      Effect.andThen(
        Effect.sync(() => {
          assert.isAbove(seen.rewritten, 2)
          assert.isAbove(seen.short, 2)
        })
      )
    )
  )
})
