import { assert, describe, it } from "@effect/vitest"
import { makeCatalog, type Model, priceOf } from "@parley/core"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { describe as suite, it as test } from "vitest"
import { estimatedInput, quoteReply } from "../../src/chat/reply/replyCredits.ts"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"
import { ask, balance, says, scriptedModel, transactions, world } from "./world.ts"

/** A model with a reply of this number of tokens, which counts the prompt as it is estimated. */
const writes = (output: number) =>
  scriptedModel(({ messages, model }) =>
    says(["word"], { input: estimatedInput(messages, pieceTokenizer, model).freshInput, output })
  )

const configOf = (input: number, output: number, monthlyCredits: number) => ({
  models: { "model-a-mini": { creditsPer1kInput: input, creditsPer1kOutput: output, minimumCredits: 1 } },
  tiers: { free: { monthlyCredits } }
})

describe("the last credits", () => {
  it.effect("are spent one after another on replies that cost one, by the prices that ship", () => {
    const model = writes(40)
    return Effect.gen(function* () {
      for (const left of [2, 1, 0]) {
        const { reply } = yield* ask("ann", "What is the capital of Mongolia?")
        assert.isDefined(reply.limitedTo)
        assert.deepInclude(yield* balance("ann"), { available: left, held: 0, debt: 0 })
      }
      const refused = yield* Effect.flip(ask("ann", "And of Bhutan?"))
      assert.deepInclude(refused, { _tag: "InsufficientCredits", required: 1, available: 0 })
      assert.strictEqual(model.requests.length, 3)
    }).pipe(Effect.provide(world(model, { tiers: { free: { monthlyCredits: 3 } } })))
  })

  it.effect("buy a reply as long as they pay for by the estimate, and pay no more than there is", () => {
    const model = scriptedModel(({ maxOutputTokens }) => says(["word"], { input: 5_000, output: maxOutputTokens }))
    return Effect.gen(function* () {
      const { reply } = yield* ask("ann", "Hi")
      assert.strictEqual(reply.limitedTo, model.requests[0]?.maxOutputTokens)
      assert.isAtMost(reply.limitedTo ?? Infinity, 1_000)
      assert.deepInclude(yield* balance("ann"), { available: 0, held: 0, debt: 0 })
      assert.deepInclude((yield* transactions("ann"))[0], { type: "usage", amount: -1 })
    }).pipe(Effect.provide(world(model, configOf(1, 1, 1))))
  })

  it.effect("are held whole, so that of many replies at once one is written", () => {
    const model = writes(40)
    return Effect.gen(function* () {
      const asks = Array.from({ length: 20 }, () => Effect.exit(ask("ann", "Hi")))
      const exits = yield* Effect.all(asks, { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.strictEqual(model.requests.length, 1)
      assert.deepInclude(yield* balance("ann"), { available: 0, held: 0, debt: 0 })
    }).pipe(Effect.provide(world(model, configOf(1, 4, 1))))
  })
})

/** Asks with this balance; returns the balance before and after, and the model's prompt and limit. */
const askWith = (config: ReturnType<typeof configOf>, output: number, content: string) => {
  const model = writes(output)
  return Effect.gen(function* () {
    const asked = yield* Effect.exit(ask("ann", content))
    return { served: Exit.isSuccess(asked), left: yield* balance("ann"), request: model.requests[0] }
  }).pipe(Effect.provide(world(model, config)), Effect.runPromise)
}

const rates = fc.oneof(fc.constantFrom(0, 0.05, 1, 4, 25), fc.double({ min: 0, max: 60, noNaN: true }))

const tokens = fc.nat(20_000)

suite("a reply", () => {
  test("that begins with the last credits is paid for, if the provider reads or writes a cache", () =>
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        rates,
        rates,
        rates,
        (freshInput, cacheRead, cacheWrite, input, read, write) => {
          const { models } = makeCatalog(configOf(input, 4, 0))
          const rest = { creditsPer1kCachedInput: Math.min(read, input), creditsPer1kCacheWrite: write }
          const model = { ...(models[0] as Model), ...rest }
          const estimate = { freshInput: freshInput + cacheRead + cacheWrite, cacheRead: 0, cacheWrite: 0 }
          const { minimumAmount } = quoteReply(model, { maxTokens: 100_000, estimate }, 1_000)
          assert.isAtLeast(minimumAmount, priceOf({ freshInput, cacheRead, cacheWrite, output: 1 }, model))
        }
      )
    ))
})

suite("a person", () => {
  test("can always spend the last credits on a reply whose price fits, and never goes below zero", () =>
    fc.assert(
      fc.asyncProperty(
        rates,
        rates,
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom("Hi", "naïve 日本語 🙂 ".repeat(30), "word ".repeat(2_000)),
        fc.integer({ min: -2, max: 3 }),
        async (inputRate, outputRate, output, content, more) => {
          const rich = await askWith(configOf(inputRate, outputRate, 1_000_000), output, content)
          if (rich.request === undefined) throw new Error("A rich person was refused.")
          const price = 1_000_000 - rich.left.available
          const { freshInput } = estimatedInput(rich.request.messages, pieceTokenizer, rich.request.model)
          const usage = { freshInput, cacheRead: 0, cacheWrite: 0, output }
          assert.strictEqual(price, priceOf(usage, rich.request.model))
          const credits = Math.max(0, price + more)
          const { left, request, served } = await askWith(configOf(inputRate, outputRate, credits), output, content)
          assert.deepInclude(left, { held: 0, debt: 0 })
          assert.isAtLeast(left.available, 0)
          if (credits >= price) {
            assert.isTrue(served)
            assert.isAtLeast(request?.maxOutputTokens ?? 0, output)
            assert.strictEqual(left.available, credits - price)
          } else if (!served) assert.strictEqual(left.available, credits)
        }
      ),
      { numRuns: 80 }
    ))
})
