import { type ChatModel, ChatModels } from "@parley/core/adapter"
import { defaultCatalog, type Model } from "@parley/core"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { chatModels, chatModelsLayer } from "../src/index.ts"

const vendor = (name: string): ChatModel => ({ name, stream: () => Stream.empty })
const names = (models: ChatModels["Service"]) =>
  Promise.all(
    defaultCatalog.models.map((model) =>
      Effect.runPromise(
        models.resolve(model).pipe(
          Effect.map((provider) => provider.name),
          Effect.catchTag("ModelUnavailable", (error) => Effect.succeed(`unavailable ${error.model}`))
        )
      )
    )
  )

describe("chatModels", () => {
  it("has the offline model answer for every model where no vendor is set up", async () => {
    expect(await names(chatModels())).toEqual(defaultCatalog.models.map(() => "offline"))
  })

  it("has each vendor answer for its own models", async () => {
    const both = chatModels({ openai: vendor("openai"), anthropic: vendor("anthropic") })
    expect(await names(both)).toEqual(defaultCatalog.models.map((model) => model.vendor))
  })

  it("puts no stand-in in place of a vendor once the other one is set up", async () => {
    const expected = defaultCatalog.models.map((model: Model) =>
      model.vendor === "openai" ? "openai" : `unavailable ${model.id}`
    )
    expect(await names(chatModels({ openai: vendor("openai") }))).toEqual(expected)
    expect(await names(chatModels({ openai: vendor("openai"), offline: vendor("stand-in") }))).toEqual(expected)
  })

  it("is a layer too", async () => {
    const program = ChatModels.use((models) => models.resolve(defaultCatalog.models[0] as Model))
    const provider = await Effect.runPromise(Effect.provide(program, chatModelsLayer({ offline: vendor("mine") })))
    expect(provider.name).toBe("mine")
  })
})
