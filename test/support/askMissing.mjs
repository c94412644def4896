/** Runs in a project without any vendor's SDK: calls each vendor, and prints the error. */
import { openDatabase } from "@parley/adapters-db"
import { AnthropicChatModel, OpenAiChatModel } from "@parley/adapters-llm"
import { makeStripePayments } from "@parley/adapters-stripe"
import { defaultCatalog } from "@parley/core"
import { Effect, Redacted, Stream } from "effect"

const told = (error) => process.stdout.write(`${error.fault ?? error.cause?.message ?? error.message}\n`)
const apiKey = Redacted.make("key")

await openDatabase().catch(told)
const request = { model: defaultCatalog.models[0], messages: [{ role: "user", content: "Hi" }], maxOutputTokens: 10 }
for (const Model of [OpenAiChatModel, AnthropicChatModel]) {
  await Effect.runPromise(Stream.runDrain(new Model({ apiKey }).stream(request))).catch(told)
}
const event = { payload: "{}", signature: "t=1,v1=00", receivedAt: 1_000 }
const payments = makeStripePayments({ apiKey, webhookSecret: Redacted.make("secret") })
await Effect.runPromise(payments.verify(event)).catch(told)
