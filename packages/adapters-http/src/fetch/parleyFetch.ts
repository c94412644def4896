import { type HttpCore, makeHttpCore } from "../core/HttpCore.ts"
import { below, prefixFrom, REQUEST_ID, requestIdFrom, type Target, sendProblem } from "../exchange/Exchange.ts"
import { RouteNotFound } from "../problems/errors.ts"
import { problemFrom } from "../problems/Problem.ts"
import type { RouteMatch } from "../routes/Route.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { FetchResponseWriter } from "./FetchResponseWriter.ts"
import { FetchRequest } from "./FetchRequest.ts"

/** Facts about a request that only the host knows. */
export interface FetchInfo {
  /** The address from which the request came, as far as trusted proxies report it. */
  readonly peer?: string | undefined
  /** The HTTP version of the client, for example `1.1` or `2`. The development sign-in is refused without it. */
  readonly httpVersion?: string | undefined
  /** Keeps the host running until a reply's hold is settled, even if its reader has left. */
  readonly waitUntil?: ((work: Promise<void>) => void) | undefined
}

/** A fetch-style handler, for Bun, Deno, Hono, Next.js and other hosts. */
export type FetchHandler = (request: Request, info?: FetchInfo) => Promise<Response>

/** The options of `parleyFetch`. `authenticate` gets the fetch `Request`. */
export interface FetchOptions extends HttpOptions<Request> {
  /** The path under which the routes are served, for example `/api-root`; default: the root. */
  readonly prefix?: string | undefined
  /** Answers requests that match no route; the default is a 404 response. */
  readonly otherwise?: FetchHandler | undefined
}

/**
 * The reason of every aborted signal. It is shared, because a new error for each would cost more than the rest of the
 * abort.
 */
const LEFT = "the client left"

/** All routes as one fetch-style handler. Throws if `baseUrl` or `prefix` is invalid. */
export const parleyFetch = (options: FetchOptions): FetchHandler => {
  const core = makeHttpCore(options)
  const prefix = prefixFrom(options.prefix)
  const { otherwise = answerNotFound(core) } = options
  return (request, info = {}) => {
    const { pathname, search } = new URL(request.url)
    const target = below({ path: pathname, query: search.slice(1) }, prefix)
    const match = target && core.match(request.method, target.path)
    if (target === undefined || match === undefined) return otherwise(request, info)
    return serveFetch(core, { request, info, match, target, prefix })
  }
}

interface FetchExchange {
  readonly request: Request
  readonly info: FetchInfo
  readonly match: RouteMatch
  readonly target: Target
  readonly prefix: string
}

const serveFetch = (core: HttpCore, { info, match, prefix, request, target }: FetchExchange): Promise<Response> => {
  const id = idOf(request)
  const departure = new AbortController()
  const leave = () => {
    departure.abort(LEFT)
    writer.leave()
  }
  const incoming = new FetchRequest({
    request,
    id,
    target,
    prefix,
    peer: info.peer ?? "",
    httpVersion: info.httpVersion ?? "unknown",
    onBroken: leave
  })
  const headers = { ...core.securityHeaders, ...core.headersOf(match, incoming), [REQUEST_ID]: id }
  const writer = new FetchResponseWriter(request, headers, leave)
  const { signal } = request
  signal.addEventListener("abort", leave, { once: true })
  if (signal.aborted) leave()
  const work = core.answer(match, { request: incoming, writer, signal: departure.signal }).then(() => {
    signal.removeEventListener("abort", leave)
    incoming.discard()
  })
  info.waitUntil?.(work)
  return writer.response
}

const idOf = (request: Request): string => requestIdFrom(request.headers.get(REQUEST_ID) ?? undefined)

const answerNotFound =
  ({ securityHeaders }: HttpCore): FetchHandler =>
  (request) => {
    const id = idOf(request)
    const writer = new FetchResponseWriter(request, { ...securityHeaders, [REQUEST_ID]: id }, () => undefined)
    sendProblem(writer, problemFrom(new RouteNotFound(), id))
    return writer.response
  }
