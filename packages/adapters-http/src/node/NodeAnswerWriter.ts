import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { AnswerHeaders } from "../answers/Answer.ts"
import type { AnswerWriter } from "../exchange/AnswerWriter.ts"

/** Time for the reader of a broken response to read the written data. */
const FLUSH_MS = 5_000

/** Writes answers on a connection of Node's HTTP server. */
export class NodeAnswerWriter implements AnswerWriter {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #headers: AnswerHeaders

  /** `headers` go with every answer; an answer's own come before them. */
  constructor(request: IncomingMessage, response: ServerResponse, headers: AnswerHeaders) {
    this.#request = request
    this.#response = response
    this.#headers = headers
  }

  get state(): AnswerWriter["state"] {
    const response = this.#response
    if (response.destroyed || response.writableEnded) return "over"
    return response.headersSent ? "begun" : "unsent"
  }

  send(status: number, headers: AnswerHeaders, bytes?: Uint8Array): void {
    this.begin(status, headers)
    this.#response.end(bytes)
  }

  begin(status: number, headers: AnswerHeaders): void {
    this.#response.writeHead(status, { ...this.#headers, ...headers } as OutgoingHttpHeaders)
  }

  write(piece: string | Uint8Array): boolean {
    return this.#response.write(piece)
  }

  onDrain(listener: () => void): () => void {
    this.#response.once("drain", listener)
    return () => this.#response.off("drain", listener)
  }

  end(): void {
    this.#response.end()
  }

  cut(): void {
    const request = this.#request
    const response = this.#response
    const { socket } = request
    const cut = () => {
      // Before HTTP/1.1 the end of the connection is the end of the body, so only a reset shows an incomplete one.
      if (request.httpVersion === "1.0") socket.resetAndDestroy()
      response.destroy()
    }
    const flushAndCut = () => {
      const timer = setTimeout(cut, FLUSH_MS)
      socket.once("close", () => clearTimeout(timer))
      socket.write("", cut)
    }
    // A pipelined response writes nothing before its turn.
    if (response.socket === null) response.once("socket", () => process.nextTick(flushAndCut))
    else flushAndCut()
  }

  abandon(): void {
    this.#response.destroy()
  }
}
