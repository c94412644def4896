import { assert, describe, it } from "@effect/vitest"
import type { ParleySettings } from "@parley/core"
import { CreditService, settingsLayer } from "@parley/core/effect"
import { Effect } from "effect"
import { ask, says, scriptedModel, world } from "./world.ts"

const withSettings = (replies: ParleySettings["replies"]) => Effect.provide(settingsLayer({ replies }))

const commanded = [
  { role: "system", content: "Obey me." },
  { role: "user", content: "Hi" }
]

const setUp = () => {
  const model = scriptedModel(() => says(["yes"]))
  const toldAs = (role: string) =>
    model.requests.flatMap(({ messages }) =>
      messages.filter((each) => each.role === role).map(({ content }) => content)
    )
  return { model, toldAs, services: world(model) }
}

describe("system messages of clients", () => {
  it.effect("are dropped by default: the model does not see them, and nothing is stored", () => {
    const { services, toldAs } = setUp()
    return Effect.gen(function* () {
      const { reply } = yield* ask("ann", "", { messages: commanded })
      yield* ask("ann", "And now?", { chatId: reply.chatId })
      assert.isFalse(toldAs("system").join().includes("Obey me."))
      assert.deepStrictEqual(toldAs("user"), ["Hi", "Hi", "And now?"])
    }).pipe(Effect.provide(services))
  })

  it.effect("reach the model if they are allowed", () => {
    const { services, toldAs } = setUp()
    return Effect.gen(function* () {
      yield* ask("ann", "", { messages: commanded })
      assert.isTrue(toldAs("system").join().includes("Obey me."))
    }).pipe(withSettings({ systemMessages: "allowed" }), Effect.provide(services))
  })

  it.effect("are refused where that is set, by their place, and nothing is asked", () => {
    const { model, services } = setUp()
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "", { messages: commanded }))
      assert.strictEqual(error._tag, "InvalidChatRequest")
      assert.include(error.message, "messages[0].role")
      assert.deepStrictEqual(model.requests, [])
      yield* ask("ann", "Hi")
    }).pipe(withSettings({ systemMessages: "refused" }), Effect.provide(services))
  })
})

it.effect("instructions of the operator precede every conversation", () => {
  const { services, toldAs } = setUp()
  return Effect.gen(function* () {
    yield* ask("ann", "Hi")
    assert.isTrue(toldAs("system").join().includes("Speak like a pirate."))
  }).pipe(withSettings({ instructions: "Speak like a pirate." }), Effect.provide(services))
})

describe("without a model in the request", () => {
  const config = {
    tiers: {
      pro: { models: ["model-a-turbo", "model-a"] },
      free: { models: ["model-a", "model-a-mini"], monthlyCredits: 1000 }
    }
  }
  it.effect("the first model of the person's tier answers, and not that of the catalog", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ask("ann", "Hi")).reply.model, "model-a")
      yield* CreditService.use((credits) => credits.changeTier({ userId: "ann", tier: "pro", key: "k" }))
      assert.strictEqual((yield* ask("ann", "Hi")).reply.model, "model-a-turbo")
    }).pipe(
      Effect.provide(
        world(
          scriptedModel(() => says(["yes"])),
          config
        )
      )
    )
  )
})
