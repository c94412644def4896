import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Request, TakenBody, Target } from "../exchange/Request.ts"
import type { ResponseHeaders, ResponseWriter } from "../exchange/Response.ts"

export interface NodeRequestInput {
  readonly message: IncomingMessage
  readonly id: string
  /** Below the prefix. */
  readonly target: Target
  readonly prefix: string
  /** Returns the client's address; called only if it is needed. */
  readonly peerOf: () => string
}

/** A request of Node's HTTP server. */
export const nodeRequest = ({ id, message, peerOf, prefix, target }: NodeRequestInput): Request => ({
  id,
  method: message.method ?? "GET",
  headers: message.headers,
  httpVersion: message.httpVersion,
  path: target.path,
  query: target.query,
  prefix,
  source: message,
  body: message,
  get peer() {
    return peerOf()
  },
  // Node makes the list of all values for all headers at the first look.
  valuesOf: (header) => (message.headers[header] === undefined ? [] : (message.headersDistinct[header] ?? [])),
  takenBody: () => alreadyReadBody(message)
})

const LOST: TakenBody = { _tag: "lost" }

/**
 * The rest of a body that a parser has already read; undefined if no parser has. Express' parsers store the result in
 * `body`; some hosts keep the bytes in `rawBody`.
 */
const alreadyReadBody = (request: IncomingMessage): TakenBody | undefined => {
  if (!request.readableDidRead && !request.readableEnded) return undefined
  const { body, rawBody } = request as { readonly body?: unknown; readonly rawBody?: unknown }
  const [bytes] = [rawBody, body].filter((left) => left instanceof Uint8Array)
  if (bytes !== undefined)
    return { _tag: "bytes", bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  if (typeof body === "string") return { _tag: "bytes", bytes: Buffer.from(body) }
  if (body !== undefined && request.readableEnded) return { _tag: "value", value: body }
  return request.readableDidRead ? LOST : { _tag: "bytes", bytes: Buffer.alloc(0) }
}

/** Time for the reader of a broken response to read the written data. */
const FLUSH_MS = 5_000

/**
 * Writes the response to a request of Node's HTTP server. `headers` are added to every response; a header of the response
 * itself replaces the one of the same name.
 */
export const nodeResponseWriter = (
  request: IncomingMessage,
  response: ServerResponse,
  headers: ResponseHeaders
): ResponseWriter => {
  const begin = (status: number, own: ResponseHeaders) =>
    void response.writeHead(status, { ...headers, ...own } as OutgoingHttpHeaders)
  return {
    get state() {
      if (response.destroyed || response.writableEnded) return "over"
      return response.headersSent ? "begun" : "unsent"
    },
    send: (status, own, bytes) => {
      begin(status, own)
      response.end(bytes)
    },
    begin,
    write: (piece) => response.write(piece),
    onDrain: (listener) => {
      response.once("drain", listener)
      return () => response.off("drain", listener)
    },
    end: () => void response.end(),
    cut: () => {
      // A pipelined response writes nothing before its turn.
      if (response.socket === null) response.once("socket", () => process.nextTick(flushAndCut, request, response))
      else flushAndCut(request, response)
    },
    abandon: () => void response.destroy()
  }
}

const flushAndCut = (request: IncomingMessage, response: ServerResponse) => {
  const { socket } = request
  const cut = () => {
    // Before HTTP/1.1 the end of the connection is the end of the body, so only a reset shows an incomplete one.
    if (request.httpVersion === "1.0") socket.resetAndDestroy()
    response.destroy()
  }
  const timer = setTimeout(cut, FLUSH_MS)
  socket.once("close", () => clearTimeout(timer))
  socket.write("", cut)
}

/** Bytes of an unneeded body that are still read, so that the client receives the response. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 10_000

/**
 * Reads and drops the rest of a body after an early answer: a connection that is closed while the client still sends
 * can lose the answer on its way. A client that sends on beyond the bounds is cut off.
 */
export const discardBody = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  let dropped = 0
  const cut = () => request.destroy()
  const timer = setTimeout(cut, MAX_MS)
  timer.unref()
  request.on("data", (chunk: Buffer) => {
    dropped += chunk.byteLength
    if (dropped > MAX_BYTES) cut()
  })
  request.once("close", () => clearTimeout(timer))
  request.once("end", () => clearTimeout(timer))
  request.resume()
}
