import {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router
} from "express"
import { Effect, Layer } from "effect"
import { writeProblem } from "../answers/writeAnswer.ts"
import { discardBody } from "../body/discardBody.ts"
import type { HttpOptions } from "../environment/HttpOptions.ts"
import { httpServicesLayer } from "../environment/httpServicesLayer.ts"
import { InvalidRequest, MethodNotAllowed, PayloadTooLarge } from "../problems/errors.ts"
import { problemFrom } from "../problems/Problem.ts"
import { requestIdOf } from "../requestId.ts"
import type { Route } from "../routes/Route.ts"
import { routes } from "../routes/routes.ts"
import { cookieNameOf, sessionCookieOf } from "../sessions/sessionCookie.ts"
import { handleRoute, type RouteSurroundings } from "./handleRoute.ts"
import { openApiDocument } from "./openApiDocument.ts"

const STALLED_READER_MS = 60_000

/**
 * All routes as an Express 5 router, to be mounted at the root, before any body parser. Paths that are not Parley's
 * pass through to whatever is mounted after it. Throws where `baseUrl` is not a URL.
 */
export const parleyRouter = (options: HttpOptions): Router => routerOf(routes, options)

/** The router of a table of routes. */
export const routerOf = (table: ReadonlyArray<Route>, options: HttpOptions): Router => {
  const served = table.filter(({ access }) => access.isOffered?.(options) ?? true)
  const surroundings = surroundingsOf(options, served)
  const router = Router({ caseSensitive: true })
  for (const [path, ofPath] of Map.groupBy(served, (route) => route.path)) {
    const expressRoute = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"))
    for (const route of ofPath) {
      const method = route.method.toLowerCase() as Lowercase<Route["method"]>
      expressRoute[method](handlerOf(route, options, surroundings))
    }
    expressRoute.all(refuseMethod(ofPath))
  }
  router.use(answerError)
  return router
}

const surroundingsOf = (options: HttpOptions, served: ReadonlyArray<Route>): RouteSurroundings => {
  const { baseUrl, version = "0.0.0" } = options
  const cookieName = cookieNameOf(sessionCookieOf(options))
  const document = openApiDocument({ routes: served, version, baseUrl, cookieName })
  const services = Effect.runSync(Effect.scoped(Layer.build(httpServicesLayer(options, document))))
  return { runtime: options.runtime, services, stalledReaderMs: options.stalledReaderMs ?? STALLED_READER_MS }
}

const handlerOf =
  (route: Route, { requests }: HttpOptions, surroundings: RouteSurroundings): RequestHandler =>
  (request, response, next) => {
    const path = request.params as Readonly<Record<string, string>>
    const handle = async () => {
      try {
        await handleRoute(surroundings, { route, request, response, path, peer: request.ip ?? "" })
      } catch (error) {
        next(error)
      }
    }
    const work = handle()
    requests?.track(work)
  }

const refuseMethod = (ofPath: ReadonlyArray<Route>): RequestHandler => {
  const methods = ofPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  const refusal = new MethodNotAllowed({ allowed: methods })
  return (request, response) => {
    writeProblem(response, problemFrom(refusal, requestIdOf(request, response)), { allow: methods.join(", ") })
    discardBody(request)
  }
}

/**
 * The last resort: what Express itself or a handler mounted beside refuses, as problem details and without a word of
 * the error. Mount it after everything else.
 */
export const answerError: ErrorRequestHandler = (
  error: unknown,
  request: Request,
  response: Response,
  _next: NextFunction
) => {
  if (response.headersSent) return void response.destroy()
  writeProblem(response, problemFrom(knownError(error), requestIdOf(request, response)))
  discardBody(request)
}

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
