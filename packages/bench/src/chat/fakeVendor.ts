/**
 * A vendor with OpenAI's protocol, in a process of its own. Each reply has 200 chunks, each in a separate write. If the
 * newest message is "hold", the vendor sends no reply, only a message to the parent process; if it is "first", the
 * vendor sends nothing after the first words.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const CHUNKS = 200
const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "fake" }
const event = (more: object) => `data: ${JSON.stringify({ ...head, ...more })}\n\n`
const words = (content: string) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })

const opening = event({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] })
const chunk = words(" words")
const ending =
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage: { prompt_tokens: 20, completion_tokens: CHUNKS, total_tokens: 20 + CHUNKS } }) +
  "data: [DONE]\n\n"

const speak = (response: ServerResponse): void => {
  let written = 0
  const next = () => {
    if (response.destroyed) return
    if (written === CHUNKS) return void response.end(ending)
    written += 1
    if (response.write(chunk)) setImmediate(next)
    else response.once("drain", next)
  }
  next()
}

const server = createServer(async (request, response) => {
  let text = ""
  for await (const bytes of request.setEncoding("utf8")) text += bytes
  const { messages } = JSON.parse(text) as { readonly messages: ReadonlyArray<{ readonly content: string }> }
  const wish = messages.at(-1)?.content
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(opening)
  if (wish === "hold") return void process.send?.("asked")
  if (wish === "first") return void response.write(chunk)
  speak(response)
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
