import { type ErrorRequestHandler, type NextFunction, type Request, type Response, Router } from "express"
import { type HttpCore, makeHttpCore } from "../core/HttpCore.ts"
import { type ResponseHeaders, targetOf } from "../exchange/Exchange.ts"
import { answerProblem, requestIdOf, serveNode } from "../node/parleyListener.ts"
import { InvalidRequest, PayloadTooLarge } from "../problems/errors.ts"
import type { Route } from "../routes/Route.ts"
import { routes } from "../routes/routes.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"

/** `authenticate` gets Express' request, including the properties that earlier middleware has set (`request.user`). */
export type RouterOptions = HttpOptions<Request>

/**
 * All routes as an Express 5 router, to be mounted at the root or under a path, best before any body parser. It passes
 * other paths on. A security header that earlier middleware has set stays. Throws if `baseUrl` is not a URL.
 */
export const parleyRouter = (options: RouterOptions): Router => routerOf(routes, options)

/** The router of a table of routes. */
export const routerOf = (table: ReadonlyArray<Route>, options: RouterOptions): Router => {
  const core = makeHttpCore(options, table)
  const router = Router()
  router.use((request, response, next) => {
    // Express takes away the path under which it is mounted, and keeps it as `baseUrl`.
    const target = targetOf(request.url)
    const match = core.match(request.method, target.path)
    if (match === undefined) return next()
    const id = requestIdOf(request, response)
    const peerOf = () => request.ip ?? ""
    const exchange = {
      core,
      match,
      id,
      target,
      prefix: request.baseUrl,
      peerOf,
      headers: headersBeside(response, core)
    }
    void serveNode(request, response, exchange)
  })
  router.use(answerError)
  return router
}

/** The security headers that no earlier middleware of the application has set. */
const headersBeside = (response: Response, { securityHeaders }: HttpCore): ResponseHeaders =>
  Object.fromEntries(Object.entries(securityHeaders).filter(([name]) => !response.hasHeader(name)))

/**
 * The last error handler: answers errors of Express itself or of other handlers with problem details, without the
 * error's text. Mount it after everything else.
 */
export const answerError: ErrorRequestHandler = (
  error: unknown,
  request: Request,
  response: Response,
  _next: NextFunction
) => answerProblem(request, response, knownError(error))

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
