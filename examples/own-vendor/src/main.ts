import { chatModels } from "@parley/adapters-llm"
import { createParley, openInMemory } from "@parley/core"
import type { ChatModel } from "@parley/core/adapter"
import { Stream } from "effect"
import { answer } from "./answer.ts"

const house: ChatModel = {
  name: "house",
  stream: ({ messages }) => {
    const { texts, usage } = answer(messages.at(-1)?.content ?? "")
    const deltas = Stream.fromIterable(texts.map((text) => ({ _tag: "text-delta" as const, text })))
    return Stream.concat(deltas, Stream.make({ _tag: "end" as const, reason: "completed" as const, usage }))
  }
}
const price = { creditsPer1kInput: 20, creditsPer1kOutput: 60, minimumCredits: 2 }
const config = {
  replace: true,
  models: { "house-1": { vendor: "house", vendorModel: "large", ...price } },
  tiers: { trial: { monthlyCredits: 500, models: ["house-1"] }, team: { monthlyCredits: 9_000, models: ["house-1"] } }
}
const parley = await createParley({ ...(await openInMemory()), models: chatModels({ house }), config })
const messages = [{ role: "user" as const, content: "Where do storks nest?" }]
const reply = await parley.chat.send("ann", { messages, modelId: "house-1" })
console.log(reply.model, JSON.stringify(await reply.text()), (await parley.credits.balance("ann")).available)
await parley.close()
