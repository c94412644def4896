import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * The behaviours of the vendor; each question names one. `flaky` refuses the first request and answers the next one.
 */
export const BEHAVIOURS = ["quick", "slow", "flaky", "limited", "broken", "cut"] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** The number of pieces of a whole reply. */
export const PIECES = 20
/** The number of pieces after which the vendor cuts a reply off. */
const CUT_AFTER = 6
const BEAT_MS = 50
/** A slow reply sends one piece in this many beats. */
const SLOW_BEATS = 6

/** Returns the part of a question that names the vendor's behaviour and a number. */
export const wishOf = (behaviour: Behaviour, number: number): string => `wish-${behaviour}-${number}`

/**
 * Returns the reply to the question with this number. `seen` is the code of a document that the vendor has read in the
 * passages.
 */
export const replyTo = (number: number, seen = "none"): string =>
  [seen, ...Array.from({ length: PIECES - 1 }, (_, index) => `${number}.${index + 1}`)].join(" ")

const chunk = (delta: object, finish: string | null, rest: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`

interface Writing {
  readonly response: ServerResponse
  readonly words: ReadonlyArray<string>
  readonly behaviour: Behaviour
  next: number
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const bytes of request.setEncoding("utf8")) body += bytes
  return body
}

const refuse = (response: ServerResponse, status: 429 | 500): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ error: { message: "Refused by the stand-in.", type: "stand_in", code: null } }))
}

/** A vendor on this machine with OpenAI's protocol. It behaves as each question asks, and can be down. */
export class ModelVendor implements AsyncDisposable {
  readonly #beat = setInterval(() => this.#writeAll(), BEAT_MS)
  readonly #writing = new Set<Writing>()
  readonly #refusedOnce = new Set<number>()
  #server: Server
  #beats = 0
  readonly #port: number

  private constructor(server: Server) {
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    this.#listen(server)
  }

  static async start(): Promise<ModelVendor> {
    const server = createServer()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return new ModelVendor(server)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1`
  }

  /** Breaks all connections, and accepts no new ones until `comeBack`. */
  async leave(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
    this.#refusedOnce.clear()
  }

  async comeBack(): Promise<void> {
    this.#server = createServer()
    this.#listen(this.#server)
    this.#server.listen(this.#port, "127.0.0.1")
    await once(this.#server, "listening")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat)
    if (this.#server.listening) await this.leave()
  }

  #listen(server: Server): void {
    server.on("request", (request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const [, name, digits] = [...body.matchAll(/wish-([a-z]+)-(\d+)/g)].at(-1) ?? []
    const behaviour = BEHAVIOURS.find((each) => each === name)
    const number = Number(digits)
    if (behaviour === undefined) return void response.writeHead(400).end()
    if (behaviour === "limited") return refuse(response, 429)
    if (behaviour === "broken") return refuse(response, 500)
    if (behaviour === "flaky" && !this.#refusedOnce.delete(number)) {
      this.#refusedOnce.add(number)
      return refuse(response, 429)
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunk({ role: "assistant", content: "" }, null))
    const seen = /code-\d+/.exec(body)?.[0]
    const writing = { response, behaviour, words: replyTo(number, seen).split(" "), next: 0 }
    this.#writing.add(writing)
    response.once("close", () => this.#writing.delete(writing))
  }

  #writeAll(): void {
    this.#beats += 1
    for (const writing of this.#writing) {
      if (writing.behaviour !== "slow" || this.#beats % SLOW_BEATS === 0) this.#write(writing)
    }
  }

  #write(writing: Writing): void {
    const { behaviour, response, words } = writing
    if (behaviour === "cut" && writing.next === CUT_AFTER) return void response.destroy()
    const content = words[writing.next] ?? ""
    response.write(chunk({ content: writing.next === 0 ? content : ` ${content}` }, null))
    writing.next += 1
    if (writing.next < words.length) return
    this.#writing.delete(writing)
    const usage = { prompt_tokens: 5, completion_tokens: words.length, total_tokens: 5 + words.length }
    response.end(`${chunk({}, "stop", { usage })}data: [DONE]\n\n`)
  }
}
