import type { IncomingMessage, ServerResponse } from "node:http"
import { REQUEST_ID, requestIdFrom } from "../exchange/Request.ts"
import { sendProblem } from "../exchange/Response.ts"
import { RouteNotFound } from "../problems/errors.ts"
import { problemFrom } from "../problems/Problem.ts"
import { discardBody, nodeResponseWriter } from "./NodeExchange.ts"

/** The id of a request: the one on its response, otherwise the client's or a new one, which is then set. */
export const requestIdOf = (request: IncomingMessage, response: ServerResponse): string => {
  const before = response.getHeader(REQUEST_ID)
  if (typeof before === "string") return before
  const id = requestIdFrom(request.headers[REQUEST_ID])
  response.setHeader(REQUEST_ID, id)
  return id
}

/** Answers an error with problem details, or breaks off a begun response. */
export const answerProblem = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
  if (response.headersSent) return void response.destroy()
  sendProblem(nodeResponseWriter(request, response, {}), problemFrom(error, requestIdOf(request, response)))
  discardBody(request)
}

/** Answers a request without a route with problem details. */
export const answerNotFound = (request: IncomingMessage, response: ServerResponse): void =>
  answerProblem(request, response, new RouteNotFound())
