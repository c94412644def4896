import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

const chunk = (delta: object, finish: string | null, rest: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`

const REPLY =
  chunk({ role: "assistant", content: "" }, null) +
  chunk({ content: "Yes." }, null) +
  chunk({}, "stop", { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }) +
  "data: [DONE]\n\n"

/** A vendor that speaks OpenAI's protocol and can fall silent: it takes requests, and answers none. */
export class SilentVendor implements AsyncDisposable {
  readonly #server: Server
  isSilent = false

  private constructor() {
    this.#server = createServer((request, response) => {
      request.resume()
      if (!this.isSilent) response.writeHead(200, { "content-type": "text/event-stream" }).end(REPLY)
    })
  }

  static async start(): Promise<SilentVendor> {
    const vendor = new SilentVendor()
    vendor.#server.listen(0, "127.0.0.1")
    await once(vendor.#server, "listening")
    return vendor
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** Ends the connections that are kept open between requests. */
  closeConnections(): void {
    this.#server.closeAllConnections()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}
