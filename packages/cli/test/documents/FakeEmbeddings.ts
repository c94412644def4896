import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const DIMENSIONS = 8

/** A vector that depends on model and text alone. */
const vectorOf = (model: string, text: string, dimensions: number): ReadonlyArray<number> => {
  let hash = 0x811c9dc5
  for (const unit of `${model} ${text}`) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  return Array.from({ length: dimensions }, (_, place) => ((hash >>> ((place * 4) % 32)) & 15) + 1)
}

interface Asked {
  readonly model: string
  readonly input: ReadonlyArray<string>
  /** Sent to models that can reduce theirs. */
  readonly dimensions?: number
}

/** A provider of embeddings with OpenAI's protocol, which records its requests and their cost. */
export class FakeEmbeddings implements AsyncDisposable {
  readonly #server: Server
  /** Every text that was answered, by model and asked dimensions; one that was answered twice is there twice. */
  readonly answered = new Map<string, Array<string>>()
  /** Texts that are being answered. */
  underWay = 0
  /** Most requests at once. */
  mostAtOnce = 0
  requests = 0
  /** Most texts in a request. */
  largest = 0
  /** Requests that are never answered. */
  heldBack = 0
  /** Milliseconds until an answer. */
  delayMs = 0
  /** Decides about a request by its number, from 1: undefined answers it, a status refuses it, `never` holds it back. */
  refuses: (request: number) => { readonly status: number; readonly retryAfter?: string } | "never" | undefined = () =>
    undefined
  #requestsNow = 0

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(): Promise<FakeEmbeddings> {
    const provider = new FakeEmbeddings()
    await new Promise<void>((resolve) => provider.#server.listen(0, "127.0.0.1", resolve))
    return provider
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** The provider's part of `PARLEY_CONFIG`. */
  embedding(model: string, more: object = {}): object {
    return { embedding: { vendor: "openai", model, baseUrl: this.baseUrl, dimensions: DIMENSIONS, batch: 8, ...more } }
  }

  /** The texts that a model answered, in order. */
  of(model: string): ReadonlyArray<string> {
    return this.answered.get(model) ?? []
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = ++this.requests
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#requestsNow)
    response.once("close", () => (this.#requestsNow -= 1))
    const parts: Array<Buffer> = []
    try {
      for await (const part of request) parts.push(part as Buffer)
    } catch {
      return
    }
    const asked = JSON.parse(Buffer.concat(parts).toString()) as Asked
    const { dimensions, input } = asked
    const model = dimensions === undefined ? asked.model : `${asked.model} ${dimensions}`
    this.largest = Math.max(this.largest, input.length)
    const refusal = this.refuses(number)
    if (refusal === "never") {
      this.heldBack += 1
      response.once("close", () => (this.heldBack -= 1))
      return
    }
    if (refusal !== undefined) {
      const { retryAfter, status } = refusal
      response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter })
      response.end(JSON.stringify({ error: { message: "vendor text", type: "error" } }))
      return
    }
    this.underWay += input.length
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs))
    this.underWay -= input.length
    // An answered request is paid, even if the client has left.
    this.answered.set(model, [...this.of(model), ...input])
    response.writeHead(200, { "content-type": "application/json" })
    const data = input.map((text, index) => ({
      object: "embedding",
      index,
      embedding: vectorOf(model, text, dimensions ?? DIMENSIONS)
    }))
    response.end(JSON.stringify({ object: "list", data, usage: { prompt_tokens: 1, total_tokens: 1 } }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
