import { assert, describe, it } from "@effect/vitest"
import { ChatService, settingsLayer, UserAccess } from "@parley/core/effect"
import { Effect, Layer } from "effect"
import { ask, says, scriptedModel, world } from "./world.ts"

describe("a shared chat", () => {
  it.effect("is not shown while its owner is blocked", () =>
    Effect.gen(function* () {
      const { reply } = yield* ask("ann", "Hello?")
      const chats = yield* ChatService
      const access = yield* UserAccess
      const { id } = yield* chats.share("ann", reply.chatId)
      assert.isDefined(yield* chats.shared(id))
      yield* access.block("ann", { by: "olga", reason: "abuse" })
      assert.isUndefined(yield* chats.shared(id))
      yield* access.unblock("ann", { by: "olga", reason: "a mistake" })
      assert.isDefined(yield* chats.shared(id))
    }).pipe(Effect.provide(world(scriptedModel(() => says(["Yes."])))))
  )

  it.effect("shows no message with the role system, which an application has sent for the model", () =>
    Effect.gen(function* () {
      const messages = [
        { role: "system", content: "The person's file: 4711." },
        { role: "user", content: "Hello?" }
      ]
      const { reply } = yield* ask("ann", "", { messages })
      const chats = yield* ChatService
      const read = yield* chats.get("ann", reply.chatId)
      assert.deepStrictEqual(
        read.messages.map(({ role }) => role),
        ["system", "user", "assistant"]
      )
      const { id } = yield* chats.share("ann", reply.chatId)
      const shared = yield* chats.shared(id)
      assert.deepStrictEqual(
        shared?.messages.map(({ content }) => content),
        ["Hello?", "Yes."]
      )
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          world(scriptedModel(() => says(["Yes."]))),
          settingsLayer({ replies: { systemMessages: "allowed" } })
        )
      )
    )
  )
})
