import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { HmacSessionVerifier, parleyListener } from "../../../adapters-http/src/index.ts"
import { createParley, openInMemory, type Parley, type ParleyOptions } from "../../../core/src/index.ts"
import { ChatModels, DocumentParser, DocumentUnreadable, ModelUnavailable } from "../../../core/src/adapter.ts"
import { runtimeOf } from "../../../core/src/effect.ts"
import { Effect } from "effect"

/** A visitor's message. */
export interface AskedBody {
  readonly publicKey: string
  readonly visitorId: string
  readonly message: string
  readonly conversationId?: string
  readonly challengeToken?: string
  readonly lang?: string
}

/** The response to one message. */
export type ScriptedAnswer =
  /** Its pieces one after the other, then its end (`text`) or a broken connection (`cut`); each waits for `until`. */
  | {
      readonly kind: "text" | "cut"
      readonly pieces: ReadonlyArray<string>
      readonly until?: (piece: number) => Promise<void>
    }
  | {
      readonly kind: "problem"
      readonly status: number
      readonly code: string
      readonly retryAfter?: string
      readonly challenge?: object
    }

/** The state of a file after it was sent, or its refusal. */
export type ScriptedFile =
  | { readonly status: "processing" | "ready" | "failed"; readonly reason?: string }
  | { readonly problem: Problem & { readonly problem?: string } }

export interface ScriptedSource {
  readonly number: number
  readonly filename: string
  readonly page: number | null
  readonly text: string
}

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: string
  readonly state: "complete" | "failed"
  readonly sources: ReadonlyArray<ScriptedSource>
}

const COMPLETE = { role: "assistant", state: "complete" } as const

export const KEY = "pk_0123456789abcdefghjkmnpqrstvwxyz"

export const CONFIG = {
  displayName: "Ada of Acme",
  welcomeMessage: "Hello! Ask me anything about **Acme**.",
  primaryColor: "#0b6e4f",
  suggestedQuestions: ["How long is the warranty?", "Where do you ship to?"],
  showSources: true
}

const noParser = DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "None here." })) })
const noModels = ChatModels.of({ resolve: ({ id }) => Effect.fail(new ModelUnavailable({ model: id })) })

/**
 * A Parley with scripted routes of visitors: everything else, including the widget's files, is the real server's, in
 * memory. It listens under its own name, `chat.acme.test`, and under one that browsers trust without https.
 */
export class ScriptedService {
  readonly asked: Array<AskedBody> = []
  readonly #server: Server
  readonly #parley: Parley
  readonly #configs = new Map<string, object>([[KEY, CONFIG]])
  readonly #conversations = new Map<string, Array<Turn>>()
  readonly #script: Array<ScriptedAnswer> = []
  /** The sources of the next reply. */
  sources: ReadonlyArray<ScriptedSource> = []
  /** The answers to the next files; a file without one is read at once. */
  readonly fileAnswers: Array<ScriptedFile> = []
  /** The files of the conversations. */
  files: Array<{ filename: string; status: string; reason: string | null }> = []
  /** The form fields of the files that were sent. */
  readonly sentFiles: Array<string> = []
  /** Breaks every connection. */
  isDown = false

  private constructor(parley: Parley, otherwise: RequestListener) {
    this.#parley = parley
    this.#server = createServer((request, response) => {
      if (this.isDown) return void request.socket.destroy()
      if (request.url?.startsWith("/api/widget/") !== true) return otherwise(request, response)
      void this.#serve(request, response)
    })
  }

  static async start(options: Pick<ParleyOptions, "challenge"> = {}): Promise<ScriptedService> {
    const stores = await openInMemory()
    const parley = await createParley({ ...options, ...stores, parser: noParser, models: noModels, work: [] })
    const sessions = HmacSessionVerifier.make({
      secret: new TextEncoder().encode("a secret of the tests, long enough")
    })
    const service = new ScriptedService(parley, parleyListener({ runtime: runtimeOf(parley), sessions }))
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve))
    return service
  }

  get url(): string {
    return `http://chat.acme.test:${this.#port}`
  }

  get trustedUrl(): string {
    return `http://localhost:${this.#port}`
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Sets a bot's configuration; undefined removes the bot. */
  configure(publicKey: string, config: object | undefined): void {
    if (config === undefined) this.#configs.delete(publicKey)
    else this.#configs.set(publicKey, config)
  }

  /** Creates a bot of the real server, with the configuration of the others. */
  async createBot(settings: { readonly allowedSites: ReadonlyArray<string> }): Promise<{ readonly publicKey: string }> {
    const { keys } = await this.#parley.bots.create("ann", { displayName: CONFIG.displayName, ...settings })
    const publicKey = keys[0]?.publicKey ?? ""
    this.configure(publicKey, CONFIG)
    return { publicKey }
  }

  /** Sets the responses to the next messages; later ones get a sentence. */
  answer(...answers: ReadonlyArray<ScriptedAnswer>): void {
    this.#script.push(...answers)
  }

  /** Changes the replies of the last conversation. */
  retell(replies: ReadonlyArray<string>): void {
    const turns = [...this.#conversations.values()].at(-1)
    turns?.splice(0, turns.length, ...replies.map((content) => ({ ...COMPLETE, content, sources: this.sources })))
  }

  /** Resets the script. */
  reset(): void {
    this.isDown = false
    this.sources = []
    this.files = []
    this.fileAnswers.length = 0
    this.sentFiles.length = 0
    this.#script.length = 0
    this.#configs.clear()
    this.configure(KEY, CONFIG)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    await this.#parley.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "", "http://localhost").pathname
    if (request.method === "GET") {
      const config = this.#configs.get(decodeURIComponent(path.split("/").at(-1) ?? ""))
      return config === undefined ? problem(response, { status: 404, code: "bot_not_found" }) : json(response, config)
    }
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (path.endsWith("/files")) return this.#takeFile(Buffer.concat(chunks).toString("latin1"), response)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as AskedBody
    if (path.endsWith("/conversation")) {
      const turns = this.#conversations.get(`${body.visitorId} ${body.conversationId}`)
      return turns === undefined
        ? problem(response, { status: 404, code: "conversation_not_found" })
        : json(response, { messages: turns, files: this.files })
    }
    this.asked.push(body)
    await this.#answer(body, response)
  }

  #takeFile(form: string, response: ServerResponse): void {
    this.sentFiles.push(form)
    const answer = this.fileAnswers.shift() ?? { status: "ready" }
    if ("problem" in answer) return problem(response, answer.problem)
    const field = (name: string) => new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(form)?.[1]
    const id = field("conversationId") ?? crypto.randomUUID()
    const key = `${field("visitorId")} ${id}`
    this.#conversations.set(key, this.#conversations.get(key) ?? [])
    const filename = Buffer.from(/filename="([^"]*)"/.exec(form)?.[1] ?? "", "latin1").toString()
    const file = { filename, status: answer.status, reason: answer.reason ?? null }
    this.files.push(file)
    json(response, { conversationId: id, file })
  }

  async #answer(body: AskedBody, response: ServerResponse): Promise<void> {
    const answer = this.#script.shift() ?? { kind: "text", pieces: [`You said: ${body.message}`] }
    if (answer.kind === "problem") return problem(response, answer)
    const id = body.conversationId ?? crypto.randomUUID()
    const key = `${body.visitorId} ${id}`
    const turns = this.#conversations.get(key) ?? []
    if (body.conversationId !== undefined && !this.#conversations.has(key)) {
      return problem(response, { status: 404, code: "conversation_not_found" })
    }
    this.#conversations.set(key, turns)
    turns.push({ role: "user", content: body.message, state: "complete", sources: [] })
    const { sources } = this
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "x-conversation-id": id })
    let content = ""
    for (const [index, piece] of answer.pieces.entries()) {
      await answer.until?.(index)
      content += piece
      response.write(piece)
    }
    await answer.until?.(answer.pieces.length)
    const state = answer.kind === "cut" ? "failed" : "complete"
    turns.push({ role: "assistant", content, state, sources })
    if (answer.kind === "cut") response.destroy()
    else response.end()
  }
}

const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

type Problem = Omit<ScriptedAnswer & { readonly kind: "problem" }, "kind">

const problem = (response: ServerResponse, { retryAfter, status, ...members }: Problem): void => {
  const headers = { "content-type": "application/problem+json", ...(retryAfter && { "retry-after": retryAfter }) }
  response.writeHead(status, headers).end(JSON.stringify({ status, ...members }))
}
