import { Context, Effect, Layer } from "effect"
import type { AnswerHeaders } from "../answers/Answer.ts"
import { writeProblem } from "../answers/writeAnswer.ts"
import { AllowedOrigins } from "../environment/AllowedOrigins.ts"
import type { OpenApiDocument } from "../environment/ApiDocument.ts"
import { type HttpOptions, STALLED_READER_MS } from "../environment/HttpOptions.ts"
import { httpServicesLayer } from "../environment/httpServicesLayer.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import { UntrustedProxy } from "../exchange/UntrustedProxy.ts"
import { problemFrom } from "../problems/Problem.ts"
import type { Route } from "../routes/Route.ts"
import { routes } from "../routes/routes.ts"
import { cookieNameOf, sessionCookieOf } from "../sessions/sessionCookie.ts"
import { addServices } from "./addServices.ts"
import { type CrossOrigin, crossOrigin } from "./crossOrigin.ts"
import { type Exchange, handleRoute } from "./handleRoute.ts"
import { openApiDocument } from "./openApiDocument.ts"
import { makeRouteTable, type RouteMatch } from "./RouteTable.ts"

/** The path from a request to its response, independent of the kind of server. */
export interface HttpCore {
  /** Takes a method and a path, still encoded and without the mount prefix; undefined if no route has the path. */
  match(method: string, path: string): RouteMatch | undefined
  /** The headers of every response for pages of other origins: empty unless some are allowed. */
  headersOf(match: RouteMatch, head: Pick<RequestHead, "headers">): AnswerHeaders
  /** Takes note of requests that come through a proxy that is not trusted. */
  readonly untrustedProxy: UntrustedProxy["Service"]
  /** Answers the request. Resolves after everything is settled, even if the client has left; it never rejects. */
  answer(match: RouteMatch, exchange: Exchange): Promise<void>
}

/** Creates the core of a server. Throws if `baseUrl` is not a URL. */
export const makeHttpCore = (options: HttpOptions<never>, table: ReadonlyArray<Route> = routes): HttpCore => {
  const served = table.filter(({ access }) => access.isOffered?.(options) ?? true)
  const { requests, runtime, stalledReaderMs = STALLED_READER_MS, version = "0.0.0" } = options
  const cookieName = cookieNameOf(sessionCookieOf(options))
  // Made when it is first asked for: few ask, and a server starts sooner without.
  let written: OpenApiDocument | undefined
  const document = () =>
    (written ??= openApiDocument({
      routes: served,
      version,
      cookieName,
      isOwnSignIn: options.authenticate !== undefined,
      bearerTokens: options.bearerTokens
    }))
  const services = Effect.runSync(Effect.scoped(Layer.build(httpServicesLayer(options, document))))
  const surroundings = { runtime, stalledReaderMs, withServices: addServices(services) }
  const { match } = makeRouteTable(served)
  const { headersOf, preflightOf } = crossOrigin(Context.get(services, AllowedOrigins), served)
  return {
    match,
    headersOf,
    untrustedProxy: Context.get(services, UntrustedProxy),
    answer: (found, exchange) => {
      if (found._tag === "refused") return Promise.resolve(refuse(found, exchange, preflightOf))
      const work = handleRoute(surroundings, found, exchange).catch(() => exchange.writer.abandon())
      requests?.track(work)
      return work
    }
  }
}

const refuse = (
  refused: Extract<RouteMatch, { readonly _tag: "refused" }>,
  { request, writer }: Exchange,
  preflightOf: CrossOrigin["preflightOf"]
): void => {
  const preflight = preflightOf(refused, request)
  if (preflight !== undefined) return writer.send(204, preflight)
  const { allowed, error } = refused
  writeProblem(writer, problemFrom(error, request.id), allowed === undefined ? {} : { allow: allowed })
}
