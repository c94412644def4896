/** Contender (a): an Express handler that only pipes the SDK's stream to the client. */
import type { AddressInfo } from "node:net"
import express from "express"
import OpenAI from "openai"

const client = new OpenAI({ apiKey: "sk-bench", baseURL: process.env["OPENAI_BASE_URL"], maxRetries: 0 })
const app = express()

app.post("/api/chat", express.json(), async (request, response) => {
  const { messages } = request.body
  const leaving = new AbortController()
  response.once("close", () => leaving.abort())
  const stream = await client.chat.completions.create(
    { model: "fake", messages, stream: true, stream_options: { include_usage: true } },
    { signal: leaving.signal }
  )
  response.type("text/plain")
  for await (const { choices } of stream) {
    const text = choices[0]?.delta.content
    if (text) response.write(text)
  }
  response.end()
})

const server = app.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
