import type { RequestListener } from "node:http"
import express, { type RequestHandler, type Router } from "express"
import { answerNotFound, type ListenerOptions, parleyListener, type TrustProxy } from "../node/parleyListener.ts"
import { answerError } from "./parleyRouter.ts"

export interface ParleyAppOptions extends Omit<ListenerOptions, "otherwise"> {
  /** Pages and other routes, which Express serves after the API. */
  readonly pages?: Router | RequestHandler | undefined
}

/**
 * A whole server: the routes, pages, security headers, and problem details for all other requests. Express gets only
 * requests that match no route.
 */
export const parleyApp = ({ pages, ...options }: ParleyAppOptions): RequestListener =>
  parleyListener(pages === undefined ? options : { ...options, otherwise: expressPages(pages, options.trustProxy) })

/**
 * Express' pages in the form of `otherwise` of `parleyListener`: a request that they do not answer gets 404, and their
 * errors become problem details.
 */
export const expressPages = (pages: Router | RequestHandler, trustProxy?: TrustProxy): RequestListener => {
  const app = express()
  app.disable("x-powered-by")
  app.disable("etag")
  app.set("trust proxy", trustProxy ?? false)
  app.use(pages, answerNotFound, answerError)
  return app
}
