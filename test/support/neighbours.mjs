/**
 * A program of a project that has Express 4, Effect 3, OpenAI's SDK 6 and pg 8.11: a person signs in, uploads a
 * document, asks a question and pays for the reply. Prints what it sees as JSON.
 */
import { createServer } from "node:http"
import { openDatabase } from "@parley/adapters-db"
import { openDocumentParser } from "@parley/adapters-documents"
import { answerError, answerNotFound, parleyRouter } from "@parley/adapters-http"
import { chatModels, OpenAiChatModel } from "@parley/adapters-llm"
import { createParley } from "@parley/core"
import { runtimeOf } from "@parley/core/effect"
import { Redacted } from "@parley/core/effect4"
import { dashboardRouter, notFoundPage } from "@parley/dashboard"
import { Effect } from "effect"
import express from "express"

const listening = async (server) => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${server.address().port}`
}

const chunk = (part) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...part })}\n\n`
const said = (delta, finish_reason = null) => chunk({ choices: [{ index: 0, delta, finish_reason }] })
const agents = []
const vendor = createServer((request, response) => {
  agents.push(request.headers["user-agent"])
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(said({ content: "Storks return in March [1]." }) + said({}, "stop"))
    response.write(chunk({ choices: [], usage: { prompt_tokens: 50, completion_tokens: 8, total_tokens: 58 } }))
    response.end("data: [DONE]\n\n")
  })
})
const openai = new OpenAiChatModel({ apiKey: Redacted.make("sk-test"), baseUrl: `${await listening(vendor)}/v1` })
const database = await openDatabase({ url: process.env.DATABASE_URL })
const { parser } = await openDocumentParser()
const parley = await createParley({ ...database, parser, models: chatModels({ openai }) })

const app = express()
app.use(dashboardRouter({ signIn: { kind: "elsewhere" } }))
const authenticate = ({ headers }) => headers["x-user"] && { userId: headers["x-user"] }
app.use(parleyRouter({ runtime: runtimeOf(parley), baseUrl: "http://127.0.0.1", authenticate }))
app.use(notFoundPage(), answerNotFound, answerError)
const url = await listening(createServer(app))

const ask = (path, init = {}) => fetch(url + path, { ...init, headers: { "x-user": "ann", ...init.headers } })
const file = new FormData()
file.set("file", new File(["Storks return to Alsace in March and nest on chimneys."], "storks.txt"))
const { documentId } = await (await ask("/api/upload", { method: "POST", body: file })).json()
const statusOf = async () => (await (await ask(`/api/documents/${documentId}`)).json()).status
while ((await statusOf()) === "processing") await new Promise((resolve) => setTimeout(resolve, 50))
const question = { messages: [{ role: "user", content: "When do storks return?" }], documentIds: [documentId] }
const headers = { "content-type": "application/json" }
const reply = await ask("/api/chat", { method: "POST", body: JSON.stringify(question), headers })
const chatId = reply.headers.get("x-chat-id")
const text = await reply.text()
const { messages } = await (await ask(`/api/chats/${chatId}`)).json()
const { available } = await (await ask("/api/billing/balance")).json()
const printed = {
  effect: Effect.runSync(Effect.succeed("Effect 3")),
  text,
  agents,
  sources: messages.at(-1).sources.map(({ filename }) => filename),
  credits: messages.at(-1).credits,
  available,
  unsigned: (await fetch(`${url}/api/billing/balance`)).status,
  page: (await ask("/", { headers: { accept: "text/html" } })).status,
  nowhere: (await ask("/nowhere")).status
}
process.stdout.write(`${JSON.stringify(printed)}\n`)
process.exit()
