import { Effect, Layer } from "effect"
import { writeProblem } from "../answers/writeAnswer.ts"
import { type HttpOptions, STALLED_READER_MS } from "../environment/HttpOptions.ts"
import { httpServicesLayer } from "../environment/httpServicesLayer.ts"
import { problemFrom } from "../problems/Problem.ts"
import type { Route } from "../routes/Route.ts"
import { routes } from "../routes/routes.ts"
import { cookieNameOf, sessionCookieOf } from "../sessions/sessionCookie.ts"
import { addServices } from "./addServices.ts"
import { type Exchange, handleRoute } from "./handleRoute.ts"
import { openApiDocument } from "./openApiDocument.ts"
import { makeRouteTable, type RouteMatch } from "./RouteTable.ts"

/** Everything between a request and its answer, for whatever brings the one and takes the other. */
export interface HttpCore {
  /** Takes a method and a path, still encoded and without the mount prefix; undefined where no route has the path. */
  match(method: string, path: string): RouteMatch | undefined
  /** Answers. Resolves once everything is settled, also where the client left; it never rejects. */
  answer(match: RouteMatch, exchange: Exchange): Promise<void>
}

/** Makes the core of a server. Throws where `baseUrl` is not a URL. */
export const makeHttpCore = (options: HttpOptions, table: ReadonlyArray<Route> = routes): HttpCore => {
  const served = table.filter(({ access }) => access.isOffered?.(options) ?? true)
  const { requests, runtime, stalledReaderMs = STALLED_READER_MS, version = "0.0.0" } = options
  const cookieName = cookieNameOf(sessionCookieOf(options))
  const document = openApiDocument({ routes: served, version, cookieName })
  const services = Effect.runSync(Effect.scoped(Layer.build(httpServicesLayer(options, document))))
  const surroundings = { runtime, stalledReaderMs, withServices: addServices(services) }
  const { match } = makeRouteTable(served)
  return {
    match,
    answer: (found, exchange) => {
      if (found._tag === "refused") return Promise.resolve(refuse(found, exchange))
      const work = handleRoute(surroundings, found, exchange).catch(() => exchange.writer.abandon())
      requests?.track(work)
      return work
    }
  }
}

const refuse = (
  { allowed, error }: Extract<RouteMatch, { readonly _tag: "refused" }>,
  { request, writer }: Exchange
): void => writeProblem(writer, problemFrom(error, request.id), allowed === undefined ? {} : { allow: allowed })
