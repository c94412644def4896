import {
  type ChatMessage,
  createParley,
  makeCatalog,
  maxPriceOf,
  openInMemory,
  type Parley,
  type PromptBuilder,
  type PromptParts
} from "@parley/core"
import { PromptBuilderFailed } from "@parley/core/effect"
import { describe, expect, it } from "vitest"
import { maxRequestTokens } from "../../src/models/messageTokens.ts"
import { maxInputTokensFor } from "../../src/models/messageTokens.ts"
import { findModel } from "../../src/tiers/CatalogData.ts"
import { modelsFrom, plainParser, says, scriptedModel } from "./world.ts"

const CONFIG = {
  models: {
    "model-a-mini": { creditsPer1kInput: 10, creditsPer1kOutput: 20, fallback: "careful" },
    careful: { vendor: "house", vendorModel: "c", creditsPer1kInput: 10, creditsPer1kOutput: 20, inputTokenFactor: 2 }
  },
  tiers: { free: { monthlyCredits: 100_000, models: ["model-a-mini", "careful"] } }
}
const user = (content: string): ReadonlyArray<ChatMessage> => [{ role: "user", content }]
const asks = (content: string) => ({ messages: [{ role: "user" as const, content }] })

/** The highest price of the longest reply to these messages, over the models that may answer. */
const boundOf = (messages: ReadonlyArray<ChatMessage>): number => {
  const careful = findModel(makeCatalog(CONFIG), "careful")
  if (careful === undefined) throw new Error("There is no such model.")
  return maxPriceOf(maxInputTokensFor(careful, maxRequestTokens(messages)), careful.maxOutputTokens, careful)
}

const withBuilder = async (
  prompt: PromptBuilder,
  use: (parley: Parley, model: ReturnType<typeof scriptedModel>) => Promise<void>
) => {
  const model = scriptedModel(() => says(["See [1]."], { input: 50, output: 3 }))
  const stores = await openInMemory()
  const replies = { prompt, instructions: "Speak like a pirate." }
  const parley = await createParley({
    ...stores,
    models: modelsFrom(model),
    parser: plainParser,
    config: CONFIG,
    replies
  })
  try {
    await use(parley, model)
  } finally {
    await parley.close()
  }
}

describe("a prompt builder of the application", () => {
  it("is given the parts, and what it makes of them is what the model reads, and no word more", async () => {
    const given: Array<PromptParts> = []
    const build: PromptBuilder = (parts) => user(`${given.push(parts)} ${parts.question}`)
    await withBuilder(build, async (parley, model) => {
      const first = await parley.chat.send("ann", asks("First?"))
      await first.text()
      await (await parley.chat.send("ann", { ...asks("Second?"), chatId: first.chatId })).text()
      const history = [...user("First?"), { role: "assistant", content: "See [1]." }]
      const expected = { instructions: ["Speak like a pirate."], history, question: "Second?", searched: false }
      expect(given.at(-1)).toMatchObject({ ...expected, passages: [], quotedPassages: "" })
      expect(model.requests.at(-1)?.messages).toEqual(user("2 Second?"))
      const { messages } = await parley.chat.get("ann", first.chatId)
      expect(messages.map(({ content }) => content)).toEqual(["First?", "See [1].", "Second?", "See [1]."])
    })
  })

  it("has the most that its messages can cost held, by the model that counts most, and is charged what they did", () => {
    const long = user("Some words more than those that were asked. ".repeat(1_000))
    return withBuilder(
      () => long,
      async (parley) => {
        const reply = await parley.chat.send("ann", asks("Hi"))
        expect((await parley.credits.balance("ann")).held).toBe(boundOf(long))
        await reply.text()
        expect(await parley.credits.receipt("ann", reply.messageId)).toMatchObject({ charged: 1, estimated: false })
      }
    )
  })

  it("has no say any more once its messages are counted: what is sent is what was", () => {
    const kept = { role: "user" as const, content: "short" }
    let reads = 0
    const growing = {
      role: "user" as const,
      get content() {
        return "word ".repeat(1_000 ** reads++)
      }
    }
    return withBuilder(
      () => [kept, growing],
      async (parley, model) => {
        const sending = parley.chat.send("ann", asks("Hi"))
        kept.content = "longer ".repeat(50_000)
        await (await sending).text()
        expect(model.requests.at(-1)?.messages).toEqual([...user("short"), ...user("word ")])
      }
    )
  })

  it("cannot change a model's limits or prices: it receives a copy", () =>
    withBuilder(
      ({ model }) => {
        Object.assign(model, { contextTokens: 1e9, maxOutputTokens: 1, creditsPer1kInput: 0, creditsPer1kOutput: 0 })
        return user("word ".repeat(127_900))
      },
      async (parley, model) => {
        const tooLong = { code: "prompt_builder_failed", problem: "too-long", window: 128_000 }
        for (const _ of ["before", "after"]) {
          await expect(parley.chat.send("ann", asks("Hi"))).rejects.toMatchObject(tooLong)
        }
        expect(model.requests).toEqual([])
      }
    ))

  it("cites by numbers: a reply keeps the found passages, even if the copies were changed", () =>
    withBuilder(
      ({ passages, question, quotedPassages }) => {
        const [passage] = passages
        if (passage !== undefined) Object.assign(passage, { number: 7, text: "forged" })
        return user(`${quotedPassages}\n${question}`)
      },
      async (parley, model) => {
        const bytes = new TextEncoder().encode("Storks nest on roofs.")
        const document = await parley.documents.upload({ userId: "ann", filename: "a.txt", bytes })
        while ((await parley.documents.get("ann", document.id)).status === "processing") {
          await new Promise((resume) => setImmediate(resume))
        }
        const reply = await parley.chat.send("ann", { ...asks("Where do storks nest?"), documentIds: [document.id] })
        expect(await reply.text()).toBe("See [1].")
        expect(reply.sources).toMatchObject([{ number: 1, text: "Storks nest on roofs." }])
        expect(model.requests.at(-1)?.messages[0]?.content).toContain('[1] from "a.txt"')
      }
    ))

  it.each<readonly [string, PromptBuilder, object]>([
    [
      "throws",
      () => {
        throw new Error("my secret")
      },
      { problem: "threw" }
    ],
    ["gives a promise", (async () => user("Hi")) as unknown as PromptBuilder, { problem: "no-messages" }],
    ["gives nothing", () => [], { problem: "no-messages" }],
    ["gives a blank message", () => [...user("Hi"), ...user(" ")], { problem: "no-messages" }],
    ["gives no question", () => [{ role: "system", content: "Hi" }], { problem: "no-messages" }],
    [
      "gives a role of its own",
      () => [...user("Hi"), { role: "tool", content: "x" } as never],
      { problem: "no-messages" }
    ],
    ["gives too much", () => user("word ".repeat(127_900)), { problem: "too-long", window: 128_000 }],
    ["gives far too much", () => user("word ".repeat(300_000)), { problem: "too-long", window: 128_000 }]
  ])(
    "that %s is a named error, without a word of what it threw; nothing is asked, held or charged",
    (_, build, named) =>
      withBuilder(build, async (parley, model) => {
        const error = await parley.chat.send("ann", asks("Hi")).catch((error: unknown) => error)
        expect(error).toBeInstanceOf(PromptBuilderFailed)
        expect(error).toMatchObject({ code: "prompt_builder_failed", ...named })
        expect((error as Error).message).not.toContain("secret")
        expect(model.requests).toEqual([])
        expect(await parley.credits.balance("ann")).toMatchObject({ available: 100_000, held: 0 })
      })
  )
})
