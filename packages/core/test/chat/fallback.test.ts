import { assert, describe, it } from "@effect/vitest"
import { ofReply } from "@parley/core/testing"
import { Catalog, ChatService } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { ModelFailed } from "@parley/core/adapter"
import { type ReplyPart, replyStream } from "@parley/core/adapter"
import { instruments } from "../../src/telemetry/instruments.ts"
import { Effect, Exit, Fiber, Layer, Logger, References, Result, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ask, balance, says, type ScriptedModel, scriptedModel, transactions, world } from "./world.ts"

const chosen = "model-a-mini"
const other = "model-a"
const third = "model-a-turbo"

/** Credits for each reply of any length, and the fallback of each model. */
const priced = (prices: Readonly<Record<string, number>>, fallbacks: Readonly<Record<string, string>>) => ({
  models: Object.fromEntries(
    Object.entries(prices).map(([id, minimumCredits]) => [
      id,
      {
        creditsPer1kInput: 0,
        creditsPer1kOutput: 0,
        minimumCredits,
        ...(fallbacks[id] === undefined ? {} : { fallback: fallbacks[id] })
      }
    ])
  ),
  tiers: { free: { monthlyCredits: 100, models: [chosen, other] } }
})

const twoModels = (own: number, fallback: number) => priced({ [chosen]: own, [other]: fallback }, { [chosen]: other })

const broken = (model: string, reason: ModelFailed["reason"], retryable = true) =>
  Stream.fail(new ModelFailed({ model, reason, retryable }))

/** Models that fail as configured; the others write their name. */
const failing = (failures: Readonly<Record<string, readonly [ModelFailed["reason"], boolean]>>): ScriptedModel =>
  scriptedModel(({ model }) => {
    const failure = failures[model.id]
    return failure === undefined ? says([`I am ${model.id}`]) : broken(model.id, ...failure)
  })

const asked = (model: ScriptedModel) => model.requests.map((request) => request.model.id)
const quiet = Effect.provide(Logger.layer([]))

describe("a fallback model", () => {
  it.effect(
    "answers where the chosen one fails before its first words, is named, stored and charged by its own price",
    () => {
      const model = failing({ [chosen]: ["unavailable", true] })
      return Effect.gen(function* () {
        const { reply, text } = yield* ask("ann", "Hi")
        assert.deepStrictEqual([text, reply.model], [`I am ${other}`, other])
        assert.deepStrictEqual(asked(model), [chosen, other])
        const [usage] = yield* transactions("ann")
        assert.deepInclude(usage, { amount: -20, model: other })
        assert.deepInclude(usage?.receipt, { model: other, charged: 20, held: 20 })
        assert.deepInclude(yield* balance("ann"), { available: 80, held: 0 })
        const { messages } = yield* ChatService.use((chat) => chat.get("ann", reply.chatId))
        assert.strictEqual(messages.at(-1)?.model, other)
      }).pipe(quiet, Effect.provide(world(model, twoModels(1, 20))))
    }
  )

  const reasons: ReadonlyArray<readonly [ModelFailed["reason"], boolean, boolean]> = [
    ["unavailable", true, true],
    ["unavailable", false, true],
    ["misconfigured", false, true],
    ["overlong", false, true],
    ["rate-limited", true, true],
    ["cut-off", true, true],
    ["stalled", true, true],
    ["bad-answer", true, true],
    ["bad-answer", false, false],
    ["refused", false, false],
    ["empty", true, false]
  ]
  for (const [reason, retryable, passedOn] of reasons) {
    it.effect(`${passedOn ? "is asked" : "is not asked"} after "${reason}"${retryable ? "" : ", which stays"}`, () => {
      const model = failing({ [chosen]: [reason, retryable] })
      return Effect.gen(function* () {
        const outcome = yield* Effect.result(ask("ann", "Hi"))
        assert.strictEqual(Result.isSuccess(outcome), passedOn)
        assert.deepStrictEqual(asked(model), passedOn ? [chosen, other] : [chosen])
        if (!passedOn) assert.deepInclude(yield* balance("ann"), { available: 100, held: 0 })
      }).pipe(quiet, Effect.provide(world(model, twoModels(1, 20))))
    })
  }

  it.effect("is not asked once words were delivered", () => {
    const half = Stream.make<[ReplyPart]>({ _tag: "text-delta", text: "Half" })
    const model = scriptedModel(({ model: { id } }) => Stream.concat(half, broken(id, "cut-off")))
    return Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(ask("ann", "Hi")), { _tag: "ModelFailed", model: chosen })
      assert.deepStrictEqual(asked(model), [chosen])
      assert.deepInclude((yield* transactions("ann"))[0], { amount: -1, model: chosen })
    }).pipe(quiet, Effect.provide(world(model, twoModels(1, 20))))
  })

  it.effect("is covered by the hold: the dearest of the chain is set aside, and the rest given back", () => {
    const model = scriptedModel(() => says(["Hello"]))
    return Effect.gen(function* () {
      const chat = yield* ChatService
      const scope = yield* Scope.make()
      const request = { messages: [{ role: "user", content: "Hi" }] }
      const reply = yield* Scope.provide(chat.send({ userId: "ann", request }), scope)
      assert.strictEqual((yield* balance("ann")).held, 20)
      yield* Stream.runDrain(reply.text)
      yield* Scope.close(scope, Exit.void)
      assert.deepInclude(yield* balance("ann"), { available: 99, held: 0, debt: 0 })
    }).pipe(Effect.provide(world(model, twoModels(1, 20))))
  })

  it.effect("that the balance cannot pay is left out, and the chosen model is not refused for it", () => {
    const model = failing({ [chosen]: ["unavailable", true] })
    return Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(ask("ann", "Hi")), { _tag: "ModelFailed", model: chosen })
      assert.deepStrictEqual(asked(model), [chosen])
      assert.deepInclude(yield* balance("ann"), { available: 100, held: 0 })
    }).pipe(quiet, Effect.provide(world(model, twoModels(1, 101))))
  })

  it.effect("that the tier does not allow is passed over for the next of the chain", () => {
    const model = failing({ [chosen]: ["stalled", true], [other]: ["stalled", true] })
    const config = priced({ [chosen]: 1, [other]: 3, [third]: 2 }, { [chosen]: third, [third]: other })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "Hi"))
      assert.deepInclude(error, { _tag: "ModelFailed", model: other })
      assert.deepStrictEqual(asked(model), [chosen, other])
    }).pipe(quiet, Effect.provide(world(model, config)))
  })

  it.effect("whose window is too small for the prompt is left out", () => {
    const model = failing({ [chosen]: ["stalled", true] })
    const small = { contextTokens: 600, maxOutputTokens: 400 }
    const { models, tiers } = twoModels(1, 1)
    const config = { tiers, models: { ...models, [other]: { ...models[other], ...small } } }
    return Effect.gen(function* () {
      yield* Effect.flip(ask("ann", "word ".repeat(500)))
      assert.deepStrictEqual(asked(model), [chosen])
    }).pipe(quiet, Effect.provide(world(model, config)))
  })

  it.effect("is counted, with the failure that made it needed", () => {
    const model = failing({ [chosen]: ["rate-limited", true] })
    const counts = () => [
      instruments.modelFailures.read({ vendor: "scripted", model: chosen, reason: "rate-limited" }),
      instruments.modelFallbacks.read({ model: chosen, fallback: other, reason: "rate-limited" })
    ]
    return Effect.gen(function* () {
      const before = counts()
      yield* ask("ann", "Hi")
      assert.deepStrictEqual(
        counts().map((value, index) => value - (before[index] ?? 0)),
        [1, 1]
      )
    }).pipe(quiet, Effect.provide(world(model, twoModels(1, 20))))
  })
})

describe("the time a reply may take", () => {
  const config = priced({ [chosen]: 1, [other]: 1, [third]: 1 }, { [chosen]: other, [other]: third })
  const tiers = { free: { monthlyCredits: 100, models: [chosen, other, third] } }

  /** Models whose vendors stay silent, each until `idleMs` are over. */
  const silent = (idleMs: number): ScriptedModel =>
    scriptedModel(({ deadline = Infinity, model }) =>
      replyStream<never>({
        model: model.id,
        limits: { firstByteMs: idleMs, idleMs, totalMs: 600_000, afterEndMs: 1_000 },
        deadline,
        open: async function* () {
          yield await new Promise<never>(() => undefined)
        },
        reader: () => ({ read: () => [], finish: () => undefined }),
        failure: () => new ModelFailed({ model: model.id, reason: "unavailable", retryable: true })
      })
    )

  const failsAt = (model: ScriptedModel, seconds: number) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(ask("ann", "Hi")))
      yield* Effect.yieldNow
      yield* TestClock.adjust(`${seconds - 1} seconds`)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "ModelFailed", reason: "stalled" })
      assert.deepInclude(yield* balance("ann"), { available: 100, held: 0 })
    }).pipe(quiet, Effect.provide(world(model, { ...config, tiers })))

  it.effect("is one for all models that are asked in turn", () => {
    const model = silent(250_000)
    return Effect.map(failsAt(model, 600), () => {
      assert.deepStrictEqual(asked(model), [chosen, other, third])
      assert.strictEqual(new Set(model.requests.map(({ deadline }) => deadline)).size, 1)
    })
  })

  it.effect("leaves none for a fallback where the first model took it all", () => {
    const model = silent(3_600_000)
    return Effect.map(failsAt(model, 600), () => assert.deepStrictEqual(asked(model), [chosen]))
  })
})

describe("fallbacks of a catalog", () => {
  const problems = (fallbacks: Readonly<Record<string, string>>) => {
    const models = Object.fromEntries(Object.entries(fallbacks).map(([id, fallback]) => [id, { fallback }]))
    const made = Result.try(() => makeCatalog({ models }))
    return Result.isFailure(made) ? String(made.failure) : ""
  }

  it("name known models and lead nowhere back", () => {
    assert.strictEqual(problems({ [chosen]: other, [other]: third }), "")
    assert.include(problems({ [chosen]: "model-z" }), `models.${chosen}.fallback: there is no model "model-z"`)
    assert.include(problems({ [chosen]: chosen }), `models.${chosen}.fallback: it leads back`)
    const around = problems({ [chosen]: other, [other]: third, [third]: other })
    assert.include(around, `models.${other}.fallback: it leads back`)
    assert.include(around, `models.${third}.fallback: it leads back`)
    assert.notInclude(around, `models.${chosen}.fallback`)
  })

  it("cannot leave out both limits of the output, nor what is no parameter", () => {
    const omitting = (...omitParameters: ReadonlyArray<string>) => {
      const made = Result.try(() => makeCatalog({ models: { [chosen]: { omitParameters } } }))
      return Result.isFailure(made) ? String(made.failure) : ""
    }
    assert.strictEqual(omitting("stream_options", "max_completion_tokens", "reasoning_effort", "stream"), "")
    assert.include(omitting("max_tokens", "max_completion_tokens"), `models.${chosen}.omitParameters: one of`)
    assert.include(omitting("temperature"), `models.${chosen}.omitParameters`)
  })

  it.effect("leave the effort of a model whose vendor model is another to its vendor", () =>
    Effect.gen(function* () {
      const { models } = yield* Catalog
      assert.deepStrictEqual(
        models.slice(0, 2).map(({ effort }) => effort),
        [undefined, "none"]
      )
    }).pipe(Effect.provideService(Catalog, makeCatalog({ models: { [chosen]: { vendorModel: "llama" } } })))
  )
})

describe("a model that is not set up right", () => {
  it.effect("is in the log with its fault, even if its fallback answers", () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      logged.push([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)])
    })
    const fault = "the parameter stream_options is refused"
    const model = scriptedModel((request) =>
      request.model.id === chosen
        ? Stream.fail(new ModelFailed({ model: chosen, reason: "misconfigured", retryable: false, fault }))
        : says(["I answer"])
    )
    return Effect.gen(function* () {
      const { text } = yield* ask("ann", "Hi")
      assert.strictEqual(text, "I answer")
      const errors = logged.filter((entry) => JSON.stringify(entry).startsWith('["Error"'))
      assert.lengthOf(errors, 1)
      assert.include(JSON.stringify(errors), fault)
      assert.include(JSON.stringify(errors), chosen)
    }).pipe(Effect.provide(Layer.merge(Logger.layer([logger]), world(model, twoModels(1, 20)))))
  })
})

describe("a reply that is left", () => {
  const inputUsage: ReplyPart = { _tag: "input-usage", usage: { freshInput: 700, cacheRead: 40, cacheWrite: 5 } }
  const words = Stream.forever(Stream.make<[ReplyPart]>({ _tag: "text-delta", text: "word " })).pipe(Stream.rechunk(1))

  it.effect("is charged for the prompt as the vendor counted it, if it reported that early", () => {
    const model = scriptedModel(() => Stream.concat(Stream.make(inputUsage), words))
    return Effect.gen(function* () {
      const chat = yield* ChatService
      const request = { messages: [{ role: "user", content: "Hi" }] }
      const read = chat
        .send({ userId: "ann", request })
        .pipe(Effect.flatMap((reply) => Stream.runDrain(Stream.take(reply.text, 4))))
      yield* Effect.scoped(read)
      const [row] = yield* transactions("ann")
      assert.deepInclude(row?.receipt, { estimated: true, ended: "stopped" })
      assert.deepInclude(ofReply(row?.receipt).usage, { freshInput: 700, cacheRead: 40, cacheWrite: 5 })
      assert.isAtMost(ofReply(row?.receipt).usage.output ?? 0, 10)
    }).pipe(Effect.provide(world(model)))
  })
})
