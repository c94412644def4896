import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A proxy in front of a server that writes the replies itself, at its own pace, and passes all other requests on. */
export class ReplyServer implements AsyncDisposable {
  readonly #server: Server
  readonly #target: URL

  /**
   * @param target the server behind it
   * @param chatId the chat id of the replies
   * @param pieces the reply
   * @param everyMs time between pieces
   */
  constructor(target: string, chatId: string, pieces: ReadonlyArray<string>, everyMs: number) {
    this.#target = new URL(target)
    this.#server = createServer((request, response) => {
      if (request.method === "POST" && request.url === "/api/chat")
        void writeReply(request, response, chatId, pieces, everyMs)
      else this.#pass(request, response)
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { hostname, port, host } = this.#target
    const { method, url: path, headers } = request
    const onward = httpRequest({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on("error", () => response.destroy())
    request.pipe(onward)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}

const writeReply = async (
  request: IncomingMessage,
  response: ServerResponse,
  chatId: string,
  pieces: ReadonlyArray<string>,
  everyMs: number
): Promise<void> => {
  for await (const _ of request);
  response.writeHead(200, {
    "content-type": "text/plain; charset=utf-8",
    "x-chat-id": chatId,
    "x-message-id": chatId
  })
  const began = performance.now()
  let written = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(
      () => {
        const due = Math.min(pieces.length, Math.ceil((performance.now() - began) / everyMs))
        response.write(pieces.slice(written, due).join(""))
        written = due
        if (written < pieces.length && !response.destroyed) return
        clearInterval(timer)
        resolve()
      },
      Math.max(5, everyMs)
    )
  })
  response.end()
}
