import { runtimeOf } from "@parley/core/effect"
import { parleyListener } from "@parley/adapters-http"
import { chatModels } from "@parley/adapters-llm"
import { createParley, openInMemory } from "@parley/core"
import Fastify from "fastify"

const parley = await createParley({ ...(await openInMemory()), models: chatModels() })
const listener = parleyListener({
  runtime: runtimeOf(parley),
  baseUrl: "http://127.0.0.1:3000",
  authenticate: ({ headers }) => (headers.cookie === "session=anns" ? { userId: "ann" } : undefined)
})

const app = Fastify()
app.get("/", () => "The application's own page.")
await app.register(async (api) => {
  // Parley reads bodies itself, within its own bounds.
  api.removeAllContentTypeParsers()
  api.addContentTypeParser("*", (_request, _body, done) => done(null))
  api.all("/api/*", (request, reply) => {
    reply.hijack()
    listener(request.raw, reply.raw)
  })
})

const url = await app.listen({ host: "127.0.0.1", port: 0 })
const headers = { cookie: "session=anns", "content-type": "application/json" }
const body = JSON.stringify({ messages: [{ role: "user", content: "Hello" }] })
console.log(await (await fetch(url)).text())
const reply = await fetch(`${url}/api/chat`, { method: "POST", headers, body })
console.log(reply.status, reply.headers.get("content-type"), (await reply.text()).length > 0)
const balance = (await (await fetch(`${url}/api/billing/balance`, { headers })).json()) as { available: number }
console.log(balance.available)
await app.close()
await parley.close()
