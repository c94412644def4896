import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as the vendor got it. */
export interface VendorCall {
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
  /** When the connection was closed while the reply was still being written, by `performance.now()`. */
  leftAt: number | undefined
}

/** A reply that the test writes step by step, so that it can stay unfinished. */
export interface SteeredReply {
  readonly say: (text: string) => void
  readonly end: () => void
  /** Resolves when the reader disconnects before the end. */
  readonly left: () => Promise<void>
}

/** The test writes the replies to messages with this word (`steered`). */
export const STEERED = "!steered"

/** The beginning of the instruction with which Parley asks for the title of a chat. */
const TITLE_ASKED = "You name conversations."

/** Far more than anything takes, for machines that are busy. */
const PATIENCE_MS = 120_000

/** Fails with the name of the awaited event if it does not happen in time. */
const inTime = async <A>(what: string, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${PATIENCE_MS} ms in vain for ${what}.`)), PATIENCE_MS)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const event = (more: object): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "fake", ...more })}\n\n`

const words = (content: string): string => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })

const ending =
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 } }) +
  "data: [DONE]\n\n"

/**
 * An OpenAI-compatible server on this machine: it replies "Hello there"; if the message asks for silence, it sends
 * half of that and then nothing; if it asks to be steered, the test writes the reply. Requests for the titles of chats
 * are answered with the title "A title" and are not among the calls.
 */
export class FakeOpenAi implements AsyncDisposable {
  readonly calls: Array<VendorCall> = []
  /** If set, every request is refused with this status. */
  refuseWith: number | undefined
  /** Sent with a refusal. */
  refusalHeaders: Readonly<Record<string, string>> = {}
  refusalBody = '{"error":{"type":"x"}}'
  readonly #steered: Array<SteeredReply> = []
  readonly #steering: Array<(reply: SteeredReply) => void> = []
  readonly #server: Server = createServer(async (request, response) => {
    let text = ""
    for await (const bytes of request.setEncoding("utf8")) text += bytes
    if (text.includes(TITLE_ASKED)) return this.#write(response, words("A title") + ending)
    const call: VendorCall = { headers: request.headers, body: JSON.parse(text), leftAt: undefined }
    this.calls.push(call)
    response.once("close", () => (call.leftAt = response.writableFinished ? undefined : performance.now()))
    if (this.refuseWith !== undefined) this.#refuse(response, this.refuseWith)
    else this.#answer(response, text)
  })

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** The next reply that asked to be steered, as soon as it was asked for. */
  steered(): Promise<SteeredReply> {
    const asked = this.#steered.shift()
    if (asked !== undefined) return Promise.resolve(asked)
    return inTime("a request that asks to be steered", new Promise((resolve) => this.#steering.push(resolve)))
  }

  #refuse(response: ServerResponse, status: number): void {
    response.writeHead(status, { "content-type": "application/json", ...this.refusalHeaders }).end(this.refusalBody)
  }

  #write(response: ServerResponse, events: string): void {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(events)
  }

  #answer(response: ServerResponse, asked: string): void {
    response.writeHead(200, { "content-type": "text/event-stream" })
    if (asked.includes(STEERED)) return this.#steer(response)
    if (!asked.includes("silence")) return void response.end(words("Hello") + words(" there") + ending)
    response.write(words("Hello"))
  }

  #steer(response: ServerResponse): void {
    const left = new Promise<void>((resolve) => response.once("close", () => response.writableFinished || resolve()))
    const reply: SteeredReply = {
      say: (text) => void response.write(words(text)),
      end: () => void response.end(ending),
      left: () => inTime("the reader to leave", left)
    }
    const waiting = this.#steering.shift()
    if (waiting === undefined) this.#steered.push(reply)
    else waiting(reply)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}
