import type { RequestListener } from "node:http"
import express, { type RequestHandler, type Router } from "express"
import { answerNotFound } from "../node/answerProblem.ts"
import { type ListenerOptions, parleyListener } from "../node/parleyListener.ts"
import { answerError } from "./parleyRouter.ts"

export interface ParleyAppOptions extends Omit<ListenerOptions, "otherwise"> {
  /** Pages and whatever else is served beside the API, after it, by Express. */
  readonly pages?: Router | RequestHandler | undefined
}

/**
 * A whole server: the routes, pages, headers that protect browsers, and problem details for the rest. Express sees what
 * is no route's, and nothing else.
 */
export const parleyApp = ({ pages, ...options }: ParleyAppOptions): RequestListener => {
  if (pages === undefined) return parleyListener(options)
  const app = express()
  app.disable("x-powered-by")
  app.disable("etag")
  app.set("trust proxy", options.trustProxy ?? false)
  app.use(pages, answerNotFound, answerError)
  return parleyListener({ ...options, otherwise: app })
}
