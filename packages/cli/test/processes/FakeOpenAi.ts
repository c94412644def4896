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

const event = (more: object): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "fake", ...more })}\n\n`

const words = (content: string): string => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })

const ending =
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 } }) +
  "data: [DONE]\n\n"

/**
 * An OpenAI-compatible server on this machine: it says "Hello there"; where a message asks for silence, it says half of
 * that and falls silent.
 */
export class FakeOpenAi implements AsyncDisposable {
  readonly calls: Array<VendorCall> = []
  /** Where set, every request is refused with this status. */
  refuseWith: number | undefined
  /** Sent with a refusal. */
  refusalHeaders: Readonly<Record<string, string>> = {}
  refusalBody = '{"error":{"type":"x"}}'
  readonly #server: Server = createServer(async (request, response) => {
    let text = ""
    for await (const bytes of request.setEncoding("utf8")) text += bytes
    const call: VendorCall = { headers: request.headers, body: JSON.parse(text), leftAt: undefined }
    this.calls.push(call)
    response.once("close", () => (call.leftAt = response.writableFinished ? undefined : performance.now()))
    this.#answer(response, text.includes("silence"))
  })

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  #answer(response: ServerResponse, silent: boolean): void {
    if (this.refuseWith !== undefined) {
      const headers = { "content-type": "application/json", ...this.refusalHeaders }
      response.writeHead(this.refuseWith, headers).end(this.refusalBody)
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    if (!silent) return void response.end(words("Hello") + words(" there") + ending)
    response.write(words("Hello"))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}
