import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { type HttpCore, makeHttpCore } from "../core/HttpCore.ts"
import type { RouteMatch } from "../core/RouteTable.ts"
import { below, prefixFrom, REQUEST_ID, requestIdFrom, type Target, targetOf } from "../exchange/Request.ts"
import type { ResponseHeaders } from "../exchange/Response.ts"
import { InvalidRequest } from "../problems/errors.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { answerNotFound, answerProblem } from "./answerProblem.ts"
import { discardBody, nodeRequest, nodeResponseWriter } from "./NodeExchange.ts"
import { securityHeaders } from "./securityHeaders.ts"
import { trustedPeer, type TrustProxy } from "./trustedPeer.ts"

/** `authenticate` is asked with Node's request. */
export interface ListenerOptions extends HttpOptions<IncomingMessage> {
  /** The path under which the routes are served, for example `/api-root`; default: the root. */
  readonly prefix?: string | undefined
  /** Proxies that are trusted to report the client's address; default none. */
  readonly trustProxy?: TrustProxy | undefined
  /** Serves requests that match no route, for example pages; security headers are set already. Default 404. */
  readonly otherwise?: RequestListener | undefined
}

/** A host, in words or in brackets, and a port (RFC 9110, 7.2; RFC 3986, 3.2); HTTP/1.0 may leave it out. */
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
  const headers = securityHeaders(URL.parse(options.baseUrl ?? "")?.protocol === "https:")
  const peerOf = trustedPeer(options.trustProxy)
  const { otherwise = answerNotFound } = options
  return (request, response) => {
    const id = requestIdFrom(request.headers[REQUEST_ID])
    const isAddressed = HOST.test(request.headers.host ?? "")
    const target = below(targetOf(request.url ?? "/"), prefix)
    const match = target && core.match(request.method ?? "GET", target.path)
    if (isAddressed && target !== undefined && match !== undefined) {
      const peer = () => peerOf(request)
      const exchange = { core, match, id, target, prefix, peerOf: peer, headers }
      return void serveNode(request, response, exchange)
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.setHeader(REQUEST_ID, id)
    if (isAddressed) otherwise(request, response)
    else answerProblem(request, response, invalidHost)
  }
}

/** The common part of Node's listener and Express' router. */
export interface NodeExchange {
  readonly core: HttpCore
  readonly match: RouteMatch
  readonly id: string
  readonly target: Target
  readonly prefix: string
  readonly peerOf: () => string
  /** Of every response. */
  readonly headers: ResponseHeaders
}

/** Answers one request of Node's HTTP server through the core; resolves once everything is settled. */
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
    signal: departure.signal
  })
  departure.stop()
  limitStalledReader(response, stalledReaderMs)
  discardBody(message)
}

/** The reason of every aborted signal: a new error for each would cost more than the rest of the abort. */
const LEFT = "the client left"

/** Aborts if the connection closes before the response is complete. */
const watchDeparture = (request: IncomingMessage, response: ServerResponse) => {
  const controller = new AbortController()
  const { socket } = request
  const onClose = () => {
    if (!response.writableFinished) controller.abort(LEFT)
  }
  // Without a listener, writing to a connection that is gone would end the process.
  request.on("error", () => undefined)
  response.on("error", () => undefined)
  response.once("close", onClose)
  // A pipelined response that waits for its turn gets no event if the connection closes.
  socket.once("close", onClose)
  if (socket.destroyed) controller.abort(LEFT)
  const stop = () => {
    response.off("close", onClose)
    socket.off("close", onClose)
  }
  return { signal: controller.signal, stop }
}

/**
 * Disconnects a reader that reads nothing of a response for this many milliseconds: until then the server keeps the
 * response in memory.
 */
const limitStalledReader = (response: ServerResponse, milliseconds: number): void => {
  if (response.writableFinished || response.destroyed) return
  response.setTimeout(milliseconds)
  // Before Node's own listener, which sets the time that the connection may be idle from then on.
  response.prependOnceListener("finish", () => response.setTimeout(0))
}

/**
 * True if a request has an untrusted `X-Forwarded-For`: it counts as one of the connection's own address. If a proxy
 * forwards exactly that address, trusting it makes no difference.
 */
const isUntrustedForwarding = ({ headers, socket }: IncomingMessage, peerOf: () => string): boolean => {
  const forwarded = headers["x-forwarded-for"]
  if (forwarded === undefined) return false
  const own = socket.remoteAddress ?? ""
  const last = String(forwarded).split(",").at(-1)?.trim()
  return peerOf() === own && last !== own
}
