import type { RequestListener } from "node:http"
import express, { type RequestHandler, type Router } from "express"
import { answerNotFound } from "../node/answerProblem.ts"
import { type ListenerOptions, parleyListener } from "../node/parleyListener.ts"
import type { TrustProxy } from "../node/trustedPeer.ts"
import { answerError } from "./parleyRouter.ts"

export interface ParleyAppOptions extends Omit<ListenerOptions, "otherwise"> {
  /** Pages and whatever else is served beside the API, after it, by Express. */
  readonly pages?: Router | RequestHandler | undefined
}

/**
 * A whole server: the routes, pages, headers that protect browsers, and problem details for the rest. Express sees what
 * is no route's, and nothing else.
 */
export const parleyApp = ({ pages, ...options }: ParleyAppOptions): RequestListener =>
  parleyListener(pages === undefined ? options : { ...options, otherwise: expressPages(pages, options.trustProxy) })

/**
 * Pages of Express as what `parleyListener` serves `otherwise`: what they do not answer is 404, and what they fail with
 * becomes problem details.
 */
export const expressPages = (pages: Router | RequestHandler, trustProxy?: TrustProxy): RequestListener => {
  const app = express()
  app.disable("x-powered-by")
  app.disable("etag")
  app.set("trust proxy", trustProxy ?? false)
  app.use(pages, answerNotFound, answerError)
  return app
}
