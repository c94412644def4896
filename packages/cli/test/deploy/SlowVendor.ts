import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const chunk = (delta: object, finish: string | null, rest: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`

/** A reply that is being written. */
interface Writing {
  readonly response: ServerResponse
  readonly words: ReadonlyArray<string>
  next: number
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const bytes of request.setEncoding("utf8")) body += bytes
  return body
}

/** The reply to a message that contains this word. */
export const replyTo = (word: string, pieces: number): string =>
  Array.from({ length: pieces }, (_, index) => `${word}.${index + 1}`).join(" ")

/**
 * A vendor that speaks OpenAI's protocol and takes its time: each reply has `pieces` pieces, and each interval brings
 * one. The reply consists of the last word of the form `ask-<number>` in the request, so that every reply differs.
 */
export class SlowVendor implements AsyncDisposable {
  readonly #server: Server
  readonly #pieces: number
  readonly #beat: NodeJS.Timeout
  readonly #writing = new Set<Writing>()

  private constructor(pieces: number, intervalMs: number) {
    this.#pieces = pieces
    this.#server = createServer((request, response) => void this.#begin(request, response))
    this.#beat = setInterval(() => this.#writing.forEach((each) => this.#write(each)), intervalMs)
  }

  static async start({ intervalMs, pieces }: { pieces: number; intervalMs: number }): Promise<SlowVendor> {
    const vendor = new SlowVendor(pieces, intervalMs)
    vendor.#server.listen(0, "127.0.0.1")
    await once(vendor.#server, "listening")
    return vendor
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  async #begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const word = (await bodyOf(request)).match(/ask-\d+/g)?.at(-1) ?? ""
    const writing = { response, words: replyTo(word, this.#pieces).split(" "), next: 0 }
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunk({ role: "assistant", content: "" }, null))
    this.#writing.add(writing)
    response.once("close", () => this.#writing.delete(writing))
    this.#write(writing)
  }

  #write(writing: Writing): void {
    const { response, words } = writing
    const content = words[writing.next] ?? ""
    response.write(chunk({ content: writing.next === 0 ? content : ` ${content}` }, null))
    writing.next += 1
    if (writing.next < words.length) return
    this.#writing.delete(writing)
    const usage = { prompt_tokens: 5, completion_tokens: words.length, total_tokens: 5 + words.length }
    response.end(`${chunk({}, "stop", { usage })}data: [DONE]\n\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat)
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}
