import { assert, describe, it } from "@effect/vitest"
import { ChatService, PreferenceService, settingsLayer } from "@parley/core/effect"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { PreferenceStore } from "../../src/preferences/Preferences.ts"
import { ask, balance, says, scriptedModel, world } from "./world.ts"

const CONFIG = {
  models: { "model-a-mini": { creditsPer1kInput: 10 } },
  tiers: { free: { monthlyCredits: 1_000, models: ["model-a-mini", "model-a"] } }
}

const setUp = () => {
  const model = scriptedModel(() => says(["yes"]))
  const systemOf = (request = model.requests.at(-1)) =>
    (request?.messages ?? []).flatMap(({ content, role }) => (role === "system" ? [content] : []))
  return { model, systemOf, services: world(model, CONFIG) }
}

const prefer = (userId: string, instructions: string, modelId: string | null = null) =>
  PreferenceService.use((preferences) => preferences.set(userId, { instructions, modelId }))

describe("the preferences of a person", () => {
  it.effect("instructions stand after the operator's in every conversation of theirs, and in no other person's", () => {
    const { services, systemOf } = setUp()
    return Effect.gen(function* () {
      yield* prefer("ann", "Answer in verse.")
      const { reply } = yield* ask("ann", "Hello?")
      const both = systemOf().join("\n")
      assert.isBelow(both.indexOf("We sell tea."), both.indexOf("Answer in verse."))
      assert.include(both, "We sell tea.")
      yield* ask("ann", "And?", { chatId: reply.chatId })
      assert.include(systemOf().join("\n"), "Answer in verse.")
      yield* ask("bob", "Hello?")
      assert.notInclude(systemOf().join("\n"), "verse")
      yield* prefer("ann", "")
      yield* ask("ann", "Hello?")
      assert.notInclude(systemOf().join("\n"), "verse")
    }).pipe(Effect.provide(Layer.provideMerge(services, settingsLayer({ replies: { instructions: "We sell tea." } }))))
  })

  it.effect("instructions are priced with the prompt: a long one costs more", () => {
    const { services } = setUp()
    return Effect.gen(function* () {
      const spentBy = (user: string) =>
        Effect.gen(function* () {
          const { available: before } = yield* balance(user)
          yield* ask(user, "Hello?")
          return before - (yield* balance(user)).available
        })
      const plain = yield* spentBy("ann")
      yield* prefer("ann", "tea ".repeat(900))
      assert.isAbove(yield* spentBy("ann"), plain)
    }).pipe(Effect.provide(services))
  })

  it.effect(
    "the default model answers if the request names none and the tier has it, else the first of the tier",
    () => {
      const { services } = setUp()
      return Effect.gen(function* () {
        const answering = Effect.map(ask("ann", "Hello?"), ({ reply }) => reply.model)
        assert.strictEqual(yield* answering, "model-a-mini")
        yield* prefer("ann", "", "model-a")
        assert.strictEqual(yield* answering, "model-a")
        const { reply } = yield* ask("ann", "Hello?", { modelId: "model-a-mini" })
        assert.strictEqual(reply.model, "model-a-mini")
        yield* prefer("ann", "", "model-a-turbo")
        assert.strictEqual(yield* answering, "model-a-mini")
      }).pipe(Effect.provide(services))
    }
  )

  it.effect("do not reach replies to the visitors of a bot, whose owner has them", () => {
    const { services, systemOf } = setUp()
    return Effect.gen(function* () {
      yield* prefer("ann", "Answer in verse.")
      const owner = { visitor: "v", bot: "b", botOwner: "ann" }
      const chats = yield* ChatService
      const reply = yield* chats.send({
        parties: { payer: "ann", documentsOwner: "ann", conversationOwner: owner, source: "bot:b" },
        terms: { instructions: "You are the bot." },
        request: { messages: [{ role: "user", content: "Hello?" }] }
      })
      yield* Stream.runDrain(reply.text)
      assert.include(systemOf().join("\n"), "You are the bot.")
      assert.notInclude(systemOf().join("\n"), "verse")
    }).pipe(Effect.scoped, Effect.provide(services))
  })

  it.effect("that another process stores reach replies within ten seconds, and are read once in that time", () => {
    const { services, systemOf } = setUp()
    return Effect.gen(function* () {
      const store = yield* PreferenceStore
      yield* ask("ann", "Hello?")
      yield* store.set("ann", { instructions: "Answer in verse.", modelId: null })
      yield* ask("ann", "Hello?")
      assert.notInclude(systemOf().join("\n"), "verse")
      yield* TestClock.adjust("10 seconds")
      yield* ask("ann", "Hello?")
      assert.include(systemOf().join("\n"), "verse")
    }).pipe(Effect.provide(services))
  })
})
