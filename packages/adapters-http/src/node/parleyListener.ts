import proxyAddr from "proxy-addr"
import type { IncomingMessage, RequestListener, ServerResponse, OutgoingHttpHeaders } from "node:http"
import { type HttpCore, makeHttpCore } from "../core/HttpCore.ts"
import type { RouteMatch } from "../routes/Route.ts"
import {
  below,
  prefixFrom,
  REQUEST_ID,
  requestIdFrom,
  type Target,
  targetOf,
  type ResponseHeaders,
  type Request,
  type TakenBody,
  type ResponseWriter,
  sendProblem
} from "../exchange/Exchange.ts"
import { InvalidRequest, RouteNotFound } from "../problems/errors.ts"
import type { RequestFinding, AnsweredRequest } from "../server/AnsweredRequest.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { problemFrom } from "../problems/Problem.ts"
import { instruments } from "@parley/core/adapter"

/** The options of `parleyListener`. `authenticate` gets Node's request. */
export interface ListenerOptions extends HttpOptions<IncomingMessage> {
  /** The path under which the routes are served, for example `/api-root`; default: the root. */
  readonly prefix?: string | undefined
  /** Proxies that are trusted to report the client's address; default none. */
  readonly trustProxy?: TrustProxy | undefined
  /**
   * Serves requests that match no route, for example pages, with the security headers already set. The default is 404.
   */
  readonly otherwise?: RequestListener | undefined
}

/**
 * The form of a Host header: a name or a bracketed address, and a port (RFC 9110, 7.2; RFC 3986, 3.2). HTTP/1.0 may
 * omit the header.
 */
const HOST = /^(?:\[[\w:.%]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/
const invalidHost = new InvalidRequest({
  issues: [{ path: "host", message: "Expected the name or the address of a server" }]
})

/**
 * A whole server as a listener of Node's HTTP server: the routes, security headers on every response, and problem
 * details for all other requests. Throws if `baseUrl` or `prefix` is invalid.
 */
export const parleyListener = (options: ListenerOptions): RequestListener => {
  const core = makeHttpCore(options)
  const prefix = prefixFrom(options.prefix)
  const peerOf = trustedPeer(options.trustProxy)
  const { onAnswered, otherwise = answerNotFound } = options
  return (request, response) => {
    const id = requestIdFrom(request.headers[REQUEST_ID])
    const finding = observeAnswer(request, response, id, onAnswered)
    const isAddressed = HOST.test(request.headers.host ?? "")
    const target = below(targetOf(request.url ?? "/"), prefix)
    const match = target && core.match(request.method ?? "GET", target.path)
    if (isAddressed && target !== undefined && match !== undefined) {
      const peer = () => peerOf(request)
      const exchange = { core, match, id, target, prefix, peerOf: peer, headers: core.securityHeaders, finding }
      return void serveNode(request, response, exchange)
    }
    for (const [name, value] of Object.entries(core.securityHeaders)) response.setHeader(name, value)
    response.setHeader(REQUEST_ID, id)
    if (isAddressed) otherwise(request, response)
    else answerProblem(request, response, invalidHost)
  }
}

/** One request and response of Node's HTTP server, with the facts that Express or the listener add. */
export interface NodeExchange {
  readonly core: HttpCore
  readonly match: RouteMatch
  readonly id: string
  readonly target: Target
  readonly prefix: string
  readonly peerOf: () => string
  /** Headers of every response. */
  readonly headers: ResponseHeaders
  readonly finding?: RequestFinding | undefined
}

/**
 * Answers one request of Node's HTTP server through the core. Resolves when the work of the request has ended, also if
 * the client has left.
 */
export const serveNode = async (
  message: IncomingMessage,
  response: ServerResponse,
  exchange: NodeExchange
): Promise<void> => {
  const { core, headers, id, match, peerOf } = exchange
  const { stalledReaderMs, untrustedProxy } = core.server
  if (!untrustedProxy.isSeen && isUntrustedForwarding(message, peerOf)) untrustedProxy.see()
  const departure = watchDeparture(message, response)
  await core.answer(match, {
    request: nodeRequest({ ...exchange, message }),
    writer: nodeResponseWriter(message, response, {
      ...headers,
      ...core.headersOf(match, message),
      [REQUEST_ID]: id
    }),
    signal: departure.signal,
    finding: exchange.finding
  })
  departure.stop()
  limitStalledReader(response, stalledReaderMs)
  discardBody(message)
}

/**
 * The reason of every aborted signal. It is shared, because a new error for each would cost more than the rest of the
 * abort.
 */
const LEFT = "the client left"

/** Aborts if the connection closes before the response is complete. */
const watchDeparture = (request: IncomingMessage, response: ServerResponse) => {
  const controller = new AbortController()
  const { socket } = request
  const onClose = () => {
    if (!response.writableFinished) controller.abort(LEFT)
  }
  // Without these listeners, an error event of a closed connection would end the process.
  request.on("error", () => undefined)
  response.on("error", () => undefined)
  response.once("close", onClose)
  // A pipelined response that waits for earlier ones gets no `close` event if the connection closes.
  socket.once("close", onClose)
  if (socket.destroyed) controller.abort(LEFT)
  const stop = () => {
    response.off("close", onClose)
    socket.off("close", onClose)
  }
  return { signal: controller.signal, stop }
}

/**
 * Disconnects a reader that reads nothing of a response for this many milliseconds, because the server keeps the rest
 * of the response in memory.
 */
const limitStalledReader = (response: ServerResponse, milliseconds: number): void => {
  if (response.writableFinished || response.destroyed) return
  response.setTimeout(milliseconds)
  // This listener runs before Node's own one, which sets the idle timeout of the connection anew.
  response.prependOnceListener("finish", () => response.setTimeout(0))
}

/**
 * True if a request has an `X-Forwarded-For` that the server does not trust, so that the connection's address counts as
 * the client's. False if the header names exactly that address, because trusting it would change nothing.
 */
const isUntrustedForwarding = ({ headers, socket }: IncomingMessage, peerOf: () => string): boolean => {
  const forwarded = headers["x-forwarded-for"]
  if (forwarded === undefined) return false
  const own = socket.remoteAddress ?? ""
  const last = String(forwarded).split(",").at(-1)?.trim()
  return peerOf() === own && last !== own
}

export interface NodeRequestInput {
  readonly message: IncomingMessage
  readonly id: string
  /** The path without the mount prefix, and the query. */
  readonly target: Target
  readonly prefix: string
  /** Returns the client's address; called only if it is needed. */
  readonly peerOf: () => string
}

/** Parley's form of a request of Node's HTTP server. */
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
  // `headersDistinct` is read only if the header was sent, because Node then builds lists for all headers.
  valuesOf: (header) => (message.headers[header] === undefined ? [] : (message.headersDistinct[header] ?? [])),
  takenBody: () => alreadyReadBody(message)
})

const LOST: TakenBody = { _tag: "lost" }

/**
 * Returns the content of a body that a parser has already read; undefined if no parser has. Express' parsers store
 * their result in `body`; some hosts keep the bytes in `rawBody`.
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

/** Time that the reader of a failed response has to read the data written before the connection is cut. */
const FLUSH_MS = 5_000

/**
 * Writes the response to a request of Node's HTTP server. `headers` are added to every response; a header of the
 * response itself replaces the one of the same name.
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
      // A pipelined response has no socket until earlier ones have ended.
      if (response.socket === null) response.once("socket", () => process.nextTick(flushAndCut, request, response))
      else flushAndCut(request, response)
    },
    abandon: () => void response.destroy()
  }
}

const flushAndCut = (request: IncomingMessage, response: ServerResponse) => {
  const { socket } = request
  const cut = () => {
    // Before HTTP/1.1 the end of the connection is the end of the body, so only a reset shows that a body is
    // incomplete.
    if (request.httpVersion === "1.0") socket.resetAndDestroy()
    response.destroy()
  }
  const timer = setTimeout(cut, FLUSH_MS)
  socket.once("close", () => clearTimeout(timer))
  socket.write("", cut)
}

/** The most bytes of an unneeded body that are read, so that its client receives the response. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 10_000

/**
 * Reads and drops the rest of a body after an early answer: if the connection closed while the client still sends, the
 * answer could get lost. A client that sends more than the bounds allow is cut off.
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

/**
 * Returns the id of a request: the id that its response already has, otherwise the client's or a new one, which is then
 * set on the response.
 */
export const requestIdOf = (request: IncomingMessage, response: ServerResponse): string => {
  const before = response.getHeader(REQUEST_ID)
  if (typeof before === "string") return before
  const id = requestIdFrom(request.headers[REQUEST_ID])
  response.setHeader(REQUEST_ID, id)
  return id
}

/** Answers an error with problem details, or cuts the connection if the response has begun. */
export const answerProblem = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
  if (response.headersSent) return void response.destroy()
  sendProblem(nodeResponseWriter(request, response, {}), problemFrom(error, requestIdOf(request, response)))
  discardBody(request)
}

/** Answers a request without a route with problem details. */
export const answerNotFound = (request: IncomingMessage, response: ServerResponse): void =>
  answerProblem(request, response, new RouteNotFound())

/**
 * The proxies that are trusted to report the client's address in `X-Forwarded-For`: none (`false`), all (`true`), a
 * number of proxies before the server, or addresses, networks or names (`loopback`, `linklocal`, `uniquelocal`),
 * separated by commas.
 */
export type TrustProxy = boolean | number | string

/** Returns a function that finds the address of a request's client. Throws if a trusted address is invalid. */
export const trustedPeer = (trust: TrustProxy = false): ((request: IncomingMessage) => string) => {
  if (trust === false) return ({ socket }) => socket.remoteAddress ?? ""
  const isTrusted = trustFunction(trust)
  // A connection over a Unix socket has no address unless a proxy reports one.
  return (request) => proxyAddr(request, isTrusted) ?? ""
}

/** True if a text names proxies that can be trusted: addresses, networks or names, but never all addresses. */
export const isTrustProxy = (addresses: string): boolean => {
  try {
    trustFunction(addresses)
    return true
  } catch {
    return false
  }
}

const trustFunction = (trust: TrustProxy): ((address: string, hop: number) => boolean) => {
  if (typeof trust === "boolean") return () => trust
  if (typeof trust === "number") return (_address, hop) => hop < trust
  return proxyAddr.compile(trust.split(",").map((each) => each.trim()))
}

/**
 * Measures a request, and reports it once its response has ended. Returns the record in which the request's work enters
 * facts for the report.
 */
const observeAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  report: ((answered: AnsweredRequest) => void) | undefined
): RequestFinding => {
  const began = performance.now()
  const { socket } = request
  const written = socket.bytesWritten
  const finding: RequestFinding = { credits: 0 }
  let firstByteMs: number | undefined
  instruments.httpActive.record(1)
  const { writeHead } = response
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    firstByteMs ??= performance.now() - began
    return writeHead.apply(response, args)
  }) as typeof writeHead
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    socket.off("close", end)
    const answered: AnsweredRequest = {
      requestId,
      traceId: finding.traceId,
      method: request.method ?? "GET",
      route: finding.route,
      userId: finding.userId,
      status: response.headersSent ? response.statusCode : undefined,
      complete: response.writableFinished,
      durationMs: performance.now() - began,
      firstByteMs,
      credits: finding.credits,
      bytes: socket.bytesWritten - written
    }
    instruments.httpActive.record(-1)
    recordDuration(answered)
    report?.(answered)
  }
  response.once("close", end)
  // A pipelined response that waits for earlier ones has no socket, and gets no event if the connection closes.
  if (response.socket === null) socket.once("close", end)
  return finding
}

/** The route is recorded without the method, which has its own attribute; pages have no route. */
const recordDuration = ({ durationMs, method, route, status }: AnsweredRequest): void =>
  instruments.httpDuration.record(durationMs / 1_000, {
    "http.request.method": method,
    "http.route": route?.slice(route.indexOf(" ") + 1) ?? "",
    "http.response.status_code": status === undefined ? "" : String(status)
  })
