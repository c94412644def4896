import express, { type Express, type RequestHandler, type Router } from "express"
import { writeProblem } from "../answers/writeAnswer.ts"
import { discardBody } from "../body/discardBody.ts"
import type { HttpOptions } from "../environment/HttpOptions.ts"
import { RouteNotFound } from "../problems/errors.ts"
import { problemFrom } from "../problems/Problem.ts"
import { requestIdOf } from "../requestId.ts"
import { securityHeaders } from "../security/securityHeaders.ts"
import { answerError, parleyRouter } from "./parleyRouter.ts"

export interface ParleyAppOptions extends HttpOptions {
  /** Express' `trust proxy`: which proxies may tell the client's address. None unless given. */
  readonly trustProxy?: boolean | number | string | undefined
  /** Pages and whatever else is served beside the API, after it. */
  readonly pages?: Router | RequestHandler | undefined
}

/** A whole Express application: the routes, pages, headers that protect browsers, and problem details for the rest. */
export const parleyApp = (options: ParleyAppOptions): Express => {
  const app = express()
  app.disable("x-powered-by")
  app.disable("etag")
  app.set("trust proxy", options.trustProxy ?? false)
  app.use((request, response, next) => {
    requestIdOf(request, response)
    next()
  })
  app.use(securityHeaders(URL.parse(options.baseUrl ?? "")?.protocol === "https:"))
  app.use(parleyRouter(options))
  if (options.pages !== undefined) app.use(options.pages)
  app.use(answerNotFound)
  app.use(answerError)
  return app
}

/** Answers whatever nothing before it has answered. */
export const answerNotFound: RequestHandler = (request, response) => {
  writeProblem(response, problemFrom(new RouteNotFound(), requestIdOf(request, response)))
  discardBody(request)
}
