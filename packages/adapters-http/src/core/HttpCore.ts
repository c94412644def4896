import { readFileSync } from "node:fs"
import {
  addressBucket,
  currentSpan,
  RequestCharge,
  type RequestFacts,
  RequestOrigin,
  SessionIssuedAt,
  spanFrom
} from "@parley/core/adapter"
import { Cause, Effect, Exit, Scope } from "effect"
import { type CrossOrigin, crossOrigin } from "../access/origins.ts"
import { isServedAt } from "../access/origins.ts"
import {
  type Context,
  type Request,
  isWhole,
  type ResponseHeaders,
  type ResponseWriter,
  sendProblem,
  writeResponse
} from "../exchange/Exchange.ts"
import { problemFrom, statusOf } from "../problems/Problem.ts"
import { problemHeaders } from "../problems/problemHeaders.ts"
import { decodeParameters } from "../routes/parameters.ts"
import type { Route, RouteCall, RouteMatch, Method } from "../routes/Route.ts"
import { routes } from "../routes/routes.ts"
import type { RequestFinding } from "../server/AnsweredRequest.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { makeServer } from "../server/makeServer.ts"
import type { OpenApiDocument, Server } from "../server/Server.ts"
import { cookieNameOf } from "../sessions/cookies.ts"
import { logFailure } from "./logFailure.ts"
import { openApiDocument } from "./openApiDocument.ts"
import { securityHeaders } from "./securityHeaders.ts"
import { InvalidRequest, MethodNotAllowed, RouteNotFound } from "../problems/errors.ts"

/** The path from a request to its response, independent of the server library. */
export interface HttpCore {
  readonly server: Server
  /**
   * Takes a method and a path, which is still encoded and without the mount prefix. Returns undefined if no route has
   * the path.
   */
  match(method: string, path: string): RouteMatch | undefined
  /** The headers that protect browsers, in every response. A header with the same name in a response replaces them. */
  readonly securityHeaders: ResponseHeaders
  /** Returns the headers that let pages of other origins read a response: empty unless some origins are allowed. */
  headersOf(match: RouteMatch, head: Pick<Request, "headers">): ResponseHeaders
  /**
   * Answers the request. Resolves when the work for it has ended, even if the client has left before; never rejects.
   */
  answer(match: RouteMatch, exchange: Exchange): Promise<void>
}

/** A request in progress, and the writer of its response. */
export interface Exchange {
  readonly request: Request
  readonly writer: ResponseWriter
  /** Aborts if the client leaves before the response is complete. */
  readonly signal: AbortSignal
  /** The record in which the work for the request enters facts for an access log. */
  readonly finding?: RequestFinding | undefined
}

/** Creates the core of a server from its options. Throws if `baseUrl` is not a URL. */
export const makeHttpCore = (options: HttpOptions<never>, table: ReadonlyArray<Route> = routes): HttpCore => {
  const served = table.filter(({ access }) => access.isOffered?.(options) ?? true)
  // The OpenAPI document is made at its first request: few clients ask for it, and a server starts sooner without.
  let written: OpenApiDocument | undefined
  const server = makeServer(options, () => (written ??= documentOf(served, server, options.version)))
  const match = matcherOf(served)
  const { headersOf, preflightOf } = crossOrigin(server.allowedOrigins, served)
  return {
    server,
    match,
    securityHeaders: securityHeaders(server.address?.protocol === "https:"),
    headersOf,
    answer: (found, exchange) => {
      const { route } = found._tag === "route" ? found : { route: found.others[0] }
      if (!isServedAt(route?.origin ?? "people", server.widgetOrigin, exchange.request.headers)) {
        return Promise.resolve(sendProblem(exchange.writer, problemFrom(new RouteNotFound(), exchange.request.id)))
      }
      if (found._tag === "refused") return Promise.resolve(refuse(found, exchange, preflightOf))
      const work = answerCall(server, found, exchange).catch(() => exchange.writer.abandon())
      server.requests?.track(work)
      return work
    }
  }
}

/** The version of this package; 0.0.0 in a bundle without the package's manifest. */
const ownVersion = (): string => {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
    return (JSON.parse(text) as { readonly version: string }).version
  } catch {
    return "0.0.0"
  }
}

const documentOf = (served: ReadonlyArray<Route>, server: Server, version = ownVersion()): OpenApiDocument =>
  openApiDocument({
    routes: served,
    version,
    cookieName: cookieNameOf(server.sessionCookie),
    isOwnSignIn: server.authenticate !== undefined,
    bearerTokens: server.bearerTokens
  })

const refuse = (
  refused: Extract<RouteMatch, { readonly _tag: "refused" }>,
  { request, writer }: Exchange,
  preflightOf: CrossOrigin["preflightOf"]
): void => {
  const preflight = preflightOf(refused, request)
  if (preflight !== undefined) return writer.send(204, preflight)
  const { allowed, error, others } = refused
  const headers = allowed === undefined ? {} : { allow: allowed }
  sendProblem(writer, problemFrom(error, request.id), headers, others[0]?.failures)
}

/**
 * Serves one request: identifies the caller, checks the input, calls the service, then writes the response or a
 * problem. If the client leaves, the work is interrupted, and its holds are settled before this function resolves. If
 * the work fails after the response has begun, the connection is cut, so that no client takes a part for the whole.
 */
const answerCall = async (server: Server, call: RouteCall, exchange: Exchange): Promise<void> => {
  const { finding = { credits: 0 }, request, signal, writer } = exchange
  finding.route = call.route.name
  const began = performance.now()
  const work = Effect.scoped(serve({ request, server }, call, writer, finding)).pipe(
    Effect.tapCause((cause) => logFailure(cause, { route: call.route, userId: finding.userId, began })),
    Effect.provideService(RequestOrigin, originOf(request, call.route)),
    Effect.provideService(RequestCharge, finding),
    traceRequest(request, call.route, finding),
    Effect.annotateLogs({ requestId: request.id })
  )
  const exit = await server.runtime.runPromiseExit(work, { signal })
  if (Exit.isFailure(exit)) answerFailure(writer, exit.cause, request.id, call.route)
}

/**
 * Runs the work of a request in a span below the caller's span (`traceparent`, W3C Trace Context), and notes the trace
 * for the access log. The request of a visitor begins a new trace: otherwise any browser could choose the trace and if
 * it is sampled. Names and attributes follow OpenTelemetry's HTTP conventions (1.43), in which a refusal (4xx) is no
 * error of the server's span.
 */
const traceRequest = (request: Request, route: Route, finding: RequestFinding) => {
  const parent = route.origin === "visitors" ? undefined : spanFrom(request.valuesOf("traceparent")[0])
  finding.traceId = parent?.traceId
  const note = Effect.map(currentSpan, (span) => {
    if (span !== undefined) finding.traceId = span.traceId
  })
  const noteStatus = (status: number) => Effect.annotateCurrentSpan("http.response.status_code", status)
  return <E, R>(work: Effect.Effect<number, E, R>): Effect.Effect<number, E, R> => {
    const answered = Effect.matchCauseEffect(work, {
      onSuccess: (status) => Effect.as(noteStatus(status), Exit.succeed(status)),
      onFailure: (cause): Effect.Effect<Exit.Exit<number, E>, E> => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
        const status = statusOf(Cause.squash(cause))
        const end = status < 500 ? Effect.succeed(Exit.failCause(cause)) : Effect.failCause(cause)
        return Effect.andThen(noteStatus(status), end)
      }
    })
    const span = Effect.withSpan(Effect.andThen(note, answered), route.name, {
      kind: "server",
      ...(parent === undefined ? { root: true } : { parent }),
      attributes: { "http.request.method": request.method, "http.route": route.path }
    })
    return Effect.flatten(span)
  }
}

/** The facts about a request for security events, each looked up only if it is read. */
const originOf = (request: Request, route: Route): RequestFacts => ({
  get address() {
    return request.peer
  },
  get userAgent() {
    return request.headers["user-agent"]
  },
  get route() {
    return route.name
  },
  requestId: request.id
})

/** Answers a failure in the form of the route. If the response has begun already, the connection is cut instead. */
const answerFailure = (
  writer: ResponseWriter,
  cause: Cause.Cause<unknown>,
  requestId: string,
  { failures }: Route
): void => {
  if (writer.state === "over") return
  if (writer.state === "begun") return writer.cut()
  const error = Cause.squash(cause)
  sendProblem(writer, problemFrom(error, requestId), problemHeaders(error), failures)
}

const serve = Effect.fnUntraced(function* (
  context: Context,
  call: RouteCall,
  writer: ResponseWriter,
  finding: RequestFinding
) {
  const preparing = yield* Scope.fork(yield* Scope.Scope)
  const response = yield* responseOf(context, call, finding, preparing)
  // A HEAD request gets the head of the response without its stream.
  const isStream = !isWhole(response) && context.request.method !== "HEAD"
  // The memory of the request's body is returned before a reply is streamed, because streaming may take minutes.
  if (isStream) yield* Scope.close(preparing, Exit.void)
  const sent = isStream || isWhole(response) ? response : { ...response, body: undefined }
  yield* writeResponse(writer, sent, context.server.stalledReaderMs)
  return sent.status
})

/**
 * Checks the caller and the rights first (401, 403, 404), then the input (400 or 422); the service's own checks follow.
 * The memory of the body and the place for large work are kept until `preparing` closes.
 */
const responseOf = Effect.fnUntraced(function* (
  context: Context,
  { path, route }: RouteCall,
  finding: RequestFinding,
  preparing: Scope.Scope
) {
  const { request, server } = context
  const claim = yield* route.access.claimOf(context)
  finding.userId = claim.userId
  yield* claim.admit
  const sent = new URLSearchParams(request.query)
  const parameters = {
    path: yield* decodeParameters(route.pathParameters, (name) => [path[name] ?? ""]),
    query: yield* decodeParameters(route.queryParameters, (name) => sent.getAll(name)),
    headers: yield* decodeParameters(route.headerParameters, (name) => request.valuesOf(name))
  }
  const person = claim.userId === undefined ? `peer ${addressBucket(request.peer)}` : `user ${claim.userId}`
  const body = route.body === undefined ? undefined : yield* Scope.provide(route.body.read(context, person), preparing)
  const caller = yield* claim.callerOf({ ...parameters, body })
  if (route.largeWork !== undefined) {
    yield* Scope.provide(server.largeWork[route.largeWork].enter(person), preparing)
  }
  const handling = route.handle({ caller, ...parameters, body, context })
  const { issuedAt } = claim
  return yield* issuedAt === undefined ? handling : Effect.provideService(handling, SessionIssuedAt, issuedAt)
})

/** A path and its routes by method. */
interface Place {
  /** Each segment of the path: `parameter` is the name of a parameter, `text` any other segment. */
  readonly segments: ReadonlyArray<{ readonly parameter?: string; readonly text?: string }>
  readonly routes: ReadonlyMap<string, Route>
  readonly refusal: RouteMatch
}

const NONE = {}

const methodsOf = (routes: ReadonlyArray<Route>): ReadonlyArray<string> =>
  routes.flatMap(({ method }): ReadonlyArray<Method | "HEAD"> => (method === "GET" ? ["GET", "HEAD"] : [method]))

const placeOf = (path: string, routes: ReadonlyArray<Route>): Place => {
  const allowed = methodsOf(routes)
  const byMethod = new Map(routes.map((route) => [route.method as string, route]))
  const get = byMethod.get("GET")
  if (get !== undefined) byMethod.set("HEAD", get)
  return {
    segments: path.split("/").map((segment) => {
      const parameter = /^\{(\w+)\}$/.exec(segment)?.[1]
      return parameter === undefined ? { text: segment } : { parameter }
    }),
    routes: byMethod,
    refusal: { _tag: "refused", error: new MethodNotAllowed({ allowed }), allowed: allowed.join(", "), others: routes }
  }
}

/**
 * Returns a function that finds a route by a method and an encoded path, or returns undefined if no route has the path.
 * A trailing slash makes no difference. Paths without parameters are looked up in a map, the others are tried in order.
 */
const matcherOf = (routes: ReadonlyArray<Route>): HttpCore["match"] => {
  const places = [...Map.groupBy(routes, ({ path }) => path)].map(
    ([path, ofPath]) => [path, placeOf(path, ofPath)] as const
  )
  const fixed = new Map(places.filter(([path]) => !path.includes("{")))
  const patterns = places.flatMap(([path, place]) => (path.includes("{") ? [place] : []))
  return (method, encoded) => {
    const path = encoded.length > 1 && encoded.endsWith("/") ? encoded.slice(0, -1) : encoded
    const exact = fixed.get(path)
    if (exact !== undefined) return matchMethod(exact, method, NONE)
    const segments = path.split("/")
    const place = patterns.find((pattern) => fits(pattern, segments))
    return place === undefined ? undefined : matchParameters(place, method, segments)
  }
}

const fits = (place: Place, segments: ReadonlyArray<string>): boolean =>
  place.segments.length === segments.length &&
  place.segments.every(({ text }, index) => (text === undefined ? segments[index] !== "" : text === segments[index]))

const matchParameters = (place: Place, method: string, segments: ReadonlyArray<string>): RouteMatch => {
  const path: Record<string, string> = {}
  try {
    place.segments.forEach(({ parameter }, index) => {
      if (parameter !== undefined) path[parameter] = decodeURIComponent(segments[index] ?? "")
    })
  } catch {
    const issues = [{ path: "path", message: "It cannot be decoded" }]
    return { _tag: "refused", error: new InvalidRequest({ issues }), allowed: undefined, others: [] }
  }
  return matchMethod(place, method, path)
}

const matchMethod = (place: Place, method: string, path: Readonly<Record<string, string>>): RouteMatch => {
  const route = place.routes.get(method)
  return route === undefined ? place.refusal : { _tag: "route", route, path }
}
