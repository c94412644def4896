import type { IncomingMessage, ServerResponse } from "node:http"
import { makeHttpCore, type HttpCore } from "../core/HttpCore.ts"
import { type ResponseHeaders, targetOf } from "../exchange/Exchange.ts"
import { InvalidRequest, PayloadTooLarge } from "../problems/errors.ts"
import type { Route } from "../routes/Route.ts"
import { routes } from "../routes/routes.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { answerProblem, requestIdOf, serveNode } from "./parleyListener.ts"

/** Passes a request to the next handler, or an error to the next error handler. */
export type Next = (error?: unknown) => void

/**
 * A handler in the form that Express 4 and 5, Connect and Polka mount; `Incoming` is the framework's type of a request.
 */
export type Middleware<Incoming extends IncomingMessage = IncomingMessage> = (
  request: Incoming,
  response: ServerResponse,
  next: Next
) => void

/**
 * The options of `parleyRouter`. `authenticate` gets the framework's request, including properties that earlier
 * middleware has set, such as `request.user`: declare the request's type at the parameter.
 */
export type RouterOptions<Incoming extends IncomingMessage = IncomingMessage> = HttpOptions<Incoming>

/**
 * All routes as middleware. Mount it at the root or under a path, best before any body parser. Requests for other paths
 * are passed on. A security header that earlier middleware has set stays. Throws if `baseUrl` is not a URL.
 */
export const parleyRouter = <Incoming extends IncomingMessage = IncomingMessage>(
  options: RouterOptions<Incoming>
): Middleware<Incoming> => routerOf(routes, options)

/**
 * The properties that Express adds to a request: the path under which the router is mounted, and the client's address
 * behind trusted proxies.
 */
interface Mounted {
  readonly baseUrl?: string
  readonly ip?: string
}

/** Makes middleware from a table of routes. */
export const routerOf = <Incoming extends IncomingMessage>(
  table: ReadonlyArray<Route>,
  options: RouterOptions<Incoming>
): Middleware<Incoming> => {
  const core = makeHttpCore(options, table)
  return (request, response, next) => {
    const mounted: Incoming & Mounted = request
    // Express removes the path under which the router is mounted from `url`.
    const target = targetOf(request.url ?? "/")
    const match = core.match(request.method ?? "GET", target.path)
    if (match === undefined) return next()
    const id = requestIdOf(request, response)
    const peerOf = () => mounted.ip ?? request.socket.remoteAddress ?? ""
    const headers = headersBeside(response, core)
    void serveNode(request, response, { core, match, id, target, prefix: mounted.baseUrl ?? "", peerOf, headers })
  }
}

/** The security headers that no earlier middleware of the application has set. */
const headersBeside = (response: ServerResponse, { securityHeaders }: HttpCore): ResponseHeaders =>
  Object.fromEntries(Object.entries(securityHeaders).filter(([name]) => !response.hasHeader(name)))

/**
 * The last error handler: answers errors of the framework or of other handlers with problem details, without the
 * error's text. Mount it after everything else.
 */
export const answerError = (error: unknown, request: IncomingMessage, response: ServerResponse, _next: Next): void =>
  answerProblem(request, response, knownError(error))

const knownError = (error: unknown): unknown => {
  if (typeof error !== "object" || error === null) return error
  const { limit, status, type } = error as {
    readonly limit?: unknown
    readonly status?: unknown
    readonly type?: unknown
  }
  if (type === "entity.too.large" && Number.isSafeInteger(limit)) return new PayloadTooLarge({ limit: Number(limit) })
  if (typeof status !== "number" || status < 400 || status >= 500) return error
  const path = typeof type === "string" ? "body" : "path"
  return new InvalidRequest({ issues: [{ path, message: "It cannot be decoded" }] })
}
