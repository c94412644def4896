import { assert, describe, it } from "@effect/vitest"
import { ChatService, settingsLayer } from "@parley/core/effect"
import { Effect, Layer } from "effect"
import { ask, says, scriptedModel, world } from "./world.ts"

describe("a shared chat", () => {
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
