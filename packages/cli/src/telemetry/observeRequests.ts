import type { RequestListener } from "node:http"
import { instruments } from "@parley/core/adapter"
import type { AnsweredRequest } from "@parley/adapters-http/node"

/** Records the duration of a request. The method and the path stand in the route; there are none for pages. */
export const recordRequest = ({ durationMs, method, route, status }: AnsweredRequest): void =>
  instruments.httpDuration.record(durationMs / 1_000, {
    "http.request.method": method,
    "http.route": route?.slice(route.indexOf(" ") + 1) ?? "",
    "http.response.status_code": status === undefined ? "" : String(status)
  })

/** The listener, whose running requests are counted. */
export const countActive =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    instruments.httpActive.record(1)
    response.once("close", () => instruments.httpActive.record(-1))
    listener(request, response)
  }
