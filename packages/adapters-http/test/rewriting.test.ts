import { Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { completed, text } from "./support/ScriptedModel.ts"
import { startServer, type TestServer } from "./support/startServer.ts"
import { waitUntil } from "./support/waitUntil.ts"

const ANN = "ann"
const HEADERS = { accept: "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" }

interface SentReceipt {
  readonly charged: number
  readonly rewrite?: { readonly model: string; readonly credits: number }
}

interface SentMessage {
  readonly credits: number
  readonly receipt: SentReceipt
  readonly sources: ReadonlyArray<{ readonly text: string }>
}

describe("a rewritten question", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ parley: { rewriteQuestions: true, replies: { wholeTokens: 0 } } })
    server.model.answer = ({ messages }) =>
      messages[0]?.content.includes("for a search") === true
        ? Stream.make(text("Where does Marie Dubois come from?"), completed)
        : Stream.make(text("Marie Dubois."), completed)
  })
  afterAll(() => server.close())

  const upload = async (words: string) => {
    const form = new FormData()
    form.append("file", new File([words], "text.md"))
    const response = await server.fetch("/api/upload", { method: "POST", user: ANN, body: form })
    const { documentId } = (await response.json()) as { readonly documentId: string }
    await waitUntil(async () => (await server.parley.documents.get(ANN, documentId)).status === "ready")
    return documentId
  }

  const send = async (content: string, more: object) => {
    const response = await server.fetch("/api/chat", {
      method: "POST",
      user: ANN,
      body: JSON.stringify({ messages: [{ role: "user", content }], ...more }),
      headers: { "content-type": "application/json", ...HEADERS }
    })
    return { chatId: response.headers.get("x-chat-id"), body: await response.text() }
  }

  const json = async (path: string) => (await server.fetch(path, { user: ANN })).json()

  it("is a part of the receipt of its reply in the chat, the stream, the history and nowhere else", async () => {
    const documentIds = [await upload("The author wrote about storks."), await upload("Marie Dubois comes from Lyon.")]
    const { chatId } = await send("Who is the author that wrote about storks?", { documentIds })
    const { body } = await send("And where was she born?", { documentIds, chatId })
    const { messages } = (await json(`/api/chats/${chatId}`)) as { readonly messages: ReadonlyArray<SentMessage> }
    const [first, second] = [messages[1], messages[3]]
    expect(first?.receipt).not.toHaveProperty("rewrite")
    expect(second?.sources.map((source) => source.text)).toContain("Marie Dubois comes from Lyon.")
    const rewrite = {
      model: "model-a-mini",
      usage: { fresh_input: 10, cache_read: 0, cache_write: 0, output: 5 },
      estimated: false,
      credits: 1
    }
    expect(second?.receipt.rewrite).toMatchObject(rewrite)
    expect(second?.receipt.rewrite).toHaveProperty("price.minimum_credits", 1)
    expect(second?.credits).toBe((first?.credits ?? 0) + 1)
    expect(second?.credits).toBe(second?.receipt.charged)
    expect(body).toContain(JSON.stringify(second?.receipt))
    const history = (await json("/api/billing/credit-history?limit=2")) as {
      readonly transactions: ReadonlyArray<{ readonly amount: number; readonly receipt: SentReceipt }>
    }
    expect(history.transactions[0]).toMatchObject({ amount: -2, receipt: second?.receipt })
    const { usage } = (await json("/api/billing/usage")) as { readonly usage: ReadonlyArray<object> }
    expect(usage).toMatchObject([{ model: "model-a-mini", replies: 2, credits: 3 }])
  })
})
