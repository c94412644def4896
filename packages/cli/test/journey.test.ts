import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { engineDocx, wingPdf } from "../../adapters-documents/test/fixtures/sampleDocuments.ts"
import { eventually, temporaryFolder } from "./processes/ParleyProcess.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"

interface Balance {
  readonly available: number
  readonly held: number
}
interface DocumentRow {
  readonly id: string
  readonly filename: string
  readonly status: string
  readonly pages: number | null
}
interface Source {
  readonly number: number
  readonly documentId: string
  readonly filename: string
  readonly page: number | null
  readonly start: number
  readonly end: number
  readonly text: string
  readonly headings: ReadonlyArray<{ readonly level: number; readonly title: string; readonly start: number }>
}
interface Message {
  readonly id: string
  readonly role: string
  readonly content: string
  readonly state: string
  readonly sources: ReadonlyArray<Source>
}
interface History {
  readonly transactions: ReadonlyArray<{
    readonly transaction_type: string
    readonly amount: number
    readonly reference: string
    readonly receipt: { readonly charged: number; readonly model: string; readonly estimated: boolean } | null
  }>
  readonly total: number
}

const ready = (visitor: Visitor, documentId: string) =>
  eventually("the document to become ready", async () => {
    const { documents } = await visitor.getJson<{ documents: ReadonlyArray<DocumentRow> }>("/api/documents")
    const document = documents.find(({ id }) => id === documentId)
    if (document?.status === "failed") throw new Error(`${document.filename} failed.`)
    return document?.status === "ready" ? document : undefined
  })

const uploaded = async (visitor: Visitor, filename: string, bytes: Uint8Array): Promise<string> => {
  const answer = await visitor.upload(filename, bytes)
  expect(answer.status).toBe(200)
  const body = (await answer.json()) as { documentId: string; filename: string; status: string }
  expect(body).toMatchObject({ filename, status: "processing" })
  return body.documentId
}

const question = (content: string) => ({ messages: [{ role: "user", content }] })

describe("the way of a person through the product, on nothing but an empty folder", () => {
  const folder = temporaryFolder()
  let server: RunningServer
  let ann: Visitor
  let bob: Visitor
  let pdf: string
  let docx: string
  let chatId: string

  beforeAll(async () => {
    server = await startServer(folder.path)
    ann = new Visitor(server.url)
    bob = new Visitor(server.url)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("asks a person without a session to sign in", async () => {
    for (const path of ["/api/chat", "/api/chats", "/api/documents", "/api/billing/balance"]) {
      expect((await ann.get(path)).status).toBe(401)
    }
    await ann.signIn("ann@example.com")
    await bob.signIn("bob@example.com")
    expect(await ann.getJson<Balance>("/api/billing/balance")).toMatchObject({ available: 100, held: 0 })
  })

  it("makes an uploaded pdf and docx ready to be asked", async () => {
    pdf = await uploaded(ann, "wings.pdf", wingPdf())
    docx = await uploaded(ann, "engine.docx", engineDocx())
    expect(await ready(ann, pdf)).toMatchObject({ filename: "wings.pdf", pages: 3 })
    expect(await ready(ann, docx)).toMatchObject({ filename: "engine.docx", pages: null })
    const again = await ann.post("/api/rag", { documentId: pdf })
    expect([again.status, await again.json()]).toMatchObject([200, { success: true }])
  })

  it("streams a reply that quotes the pdf, cites it, and keeps the source with page and offsets", async () => {
    const answer = await ann.post("/api/chat", {
      ...question("Which marker word is on the page about stalls beyond 16 degrees?"),
      documentIds: [pdf, docx]
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    chatId = answer.headers.get("x-chat-id") ?? ""
    const text = await answer.text()
    expect(text).toContain("ornithopter")
    expect(text).toMatch(/\[1\]/)

    const chat = await ann.getJson<{ messages: ReadonlyArray<Message> }>(`/api/chats/${chatId}`)
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"])
    const reply = chat.messages[1]
    expect(reply).toMatchObject({ content: text, state: "complete", id: answer.headers.get("x-message-id") })
    const source = reply?.sources.find(({ text: quoted }) => quoted.includes("ornithopter"))
    expect(source).toMatchObject({ documentId: pdf, filename: "wings.pdf", page: 3 })
    expect(text).toContain(`[${source?.number}]`)
    expect((source?.end ?? 0) - (source?.start ?? 0)).toBe(source?.text.length)
  })

  it("charges the reply: the balance falls by what the history row says, and nothing stays held", async () => {
    const balance = await ann.getJson<Balance>("/api/billing/balance")
    const history = await ann.getJson<History>("/api/billing/credit-history?type=usage")
    const [row] = history.transactions
    expect(history.total).toBe(1)
    expect(row?.receipt).toMatchObject({ model: "model-a-mini", estimated: false, charged: -(row?.amount ?? 0) })
    expect(row?.amount).toBeLessThan(0)
    expect(balance).toMatchObject({ available: 100 + (row?.amount ?? 0), held: 0 })
  })

  it("continues the chat with a second message, over the docx", async () => {
    const answer = await ann.post("/api/chat", {
      ...question("What is the codeword of the engine report?"),
      chatId,
      documentIds: [docx]
    })
    expect([answer.status, answer.headers.get("x-chat-id")]).toEqual([200, chatId])
    expect(await answer.text()).toContain("quokka")
    const chat = await ann.getJson<{ messages: ReadonlyArray<Message> }>(`/api/chats/${chatId}`)
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"])
    expect(chat.messages[3]?.sources.every(({ documentId, page }) => documentId === docx && page === null)).toBe(true)
    const [source] = chat.messages[3]?.sources ?? []
    expect(source?.headings.map(({ level, title }) => [level, title])).toEqual([
      [1, "Engine report"],
      [2, "Findings"]
    ])
    for (const { start, title } of source?.headings ?? []) {
      expect(source?.text.slice(start - source.start)).toMatch(new RegExp(`^${title}\n`))
    }
  })

  it("shows another person nothing of it", async () => {
    expect(await bob.getJson("/api/chats")).toMatchObject({ chats: [], total: 0 })
    expect(await bob.getJson("/api/documents")).toMatchObject({ documents: [] })
    expect((await bob.get(`/api/chats/${chatId}`)).status).toBe(404)
    expect((await bob.get(`/api/documents/${pdf}`)).status).toBe(404)
    expect((await bob.delete(`/api/documents/${pdf}`)).status).toBe(404)
    expect((await bob.post("/api/rag", { documentId: pdf })).status).toBe(403)
    expect((await bob.post("/api/chat", { ...question("What?"), documentIds: [pdf] })).status).toBe(403)
    expect((await bob.post("/api/chat", { ...question("What?"), chatId })).status).toBe(404)
    expect(await bob.getJson<Balance>("/api/billing/balance")).toMatchObject({ available: 100 })
  })

  it("quotes whole sentences of another language, and says so where the document does not answer", async () => {
    const letter =
      "Der Selbstbehalt beträgt z. B. 150 Euro je Schadensfall. Bei Glasbruch entfällt er.\n\n" +
      "Die Versicherung zahlt Schäden durch Feuer, Sturm und Leitungswasser. Sie gilt ab dem 1. April."
    const documentId = await uploaded(bob, "brief.txt", new TextEncoder().encode(letter))
    await ready(bob, documentId)
    const ask = async (content: string) =>
      (await bob.post("/api/chat", { ...question(content), documentIds: [documentId] })).text()
    expect(await ask("Wie hoch ist der Selbstbehalt?")).toContain(
      "“Der Selbstbehalt beträgt z. B. 150 Euro je Schadensfall. Bei Glasbruch entfällt er.” [1]"
    )
    expect(await ask("Zahlt die Versicherung die Tierarztkosten für meinen Hund?")).toMatch(/do not mention/)
    expect(await ask("Xylophon?")).toMatch(/do not mention/)
  })

  it("serves the page for people at /", async () => {
    const answer = await fetch(server.url)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  })
})
