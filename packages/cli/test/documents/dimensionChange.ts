import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../processes/ParleyProcess.ts"
import { type RunningServer, startServer, Visitor } from "../processes/RunningServer.ts"
import type { FakeEmbeddings } from "./FakeEmbeddings.ts"

/** A model that is asked for the dimensions of its embeddings. */
export const MODEL = "text-embedding-3-small"
export const TEXTS_PER_REQUEST = 4

export interface Reindexing {
  readonly documents: number
  readonly outdated: number
  readonly failed: number
  readonly work: string
}

/** Servers one after another over one database, each with embeddings of its own dimensions. */
export class ChangingServer implements AsyncDisposable {
  readonly #folder: string
  readonly #environment: Readonly<Record<string, string>>
  readonly #provider: FakeEmbeddings
  #server: RunningServer | undefined
  ann = new Visitor("")

  constructor(folder: string, environment: Readonly<Record<string, string>>, provider: FakeEmbeddings) {
    this.#folder = folder
    this.#environment = environment
    this.#provider = provider
  }

  /** Replaces the server by one whose embeddings have these dimensions; the one before is killed. */
  async serve(dimensions: number, options: ReadonlyArray<string> = []): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
    // Every passage with an embedding is near enough to every question.
    const embedding = { dimensions, batch: TEXTS_PER_REQUEST, relevantFrom: -1 }
    writeFileSync(join(this.#folder, "parley.json"), JSON.stringify(this.#provider.embedding(MODEL, embedding)))
    const environment = { PARLEY_CONFIG: "parley.json", PARLEY_EMBEDDING_API_KEY: "any", LOG_LEVEL: "none" }
    this.#server = await startServer(this.#folder, { ...this.#environment, ...environment }, options)
    this.ann = await this.signIn("ann@example.org")
  }

  async signIn(email: string): Promise<Visitor> {
    const visitor = new Visitor(this.#server?.url ?? "")
    await visitor.signIn(email)
    return visitor
  }

  async upload(name: string, text: string): Promise<string> {
    const answer = await this.ann.upload(`${name}.txt`, new TextEncoder().encode(text))
    return ((await answer.json()) as { documentId: string }).documentId
  }

  ready(ids: ReadonlyArray<string>): Promise<true> {
    return eventually("the documents to be ready", async () => {
      const { documents } = await this.ann.getJson<{ documents: ReadonlyArray<{ id: string; status: string }> }>(
        "/api/documents"
      )
      return ids.every((id) => documents.find((each) => each.id === id)?.status === "ready") ? true : undefined
    })
  }

  reindexing(): Promise<Reindexing> {
    return this.ann.getJson<Reindexing>("/api/reindexing")
  }

  /** The names of the documents that a question finds among these. */
  async sourcesOf(question: string, documentIds: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
    const messages = [{ role: "user", content: question }]
    const reply = await this.ann.post("/api/chat", { messages, documentIds })
    await reply.text()
    const chat = await this.ann.getJson<{
      messages: ReadonlyArray<{ sources?: ReadonlyArray<{ filename: string }> | null }>
    }>(`/api/chats/${reply.headers.get("x-chat-id")}`)
    const sources = chat.messages.flatMap((message) => message.sources ?? [])
    return [...new Set(sources.map(({ filename }) => filename.replace(".txt", "")))].toSorted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
  }
}
