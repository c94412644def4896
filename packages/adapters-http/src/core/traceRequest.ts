import { currentSpan, spanFrom } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Request } from "../exchange/Exchange.ts"
import type { Route } from "../routes/Route.ts"
import type { RequestFinding } from "../server/AnsweredRequest.ts"
import { nameOf } from "./logFailure.ts"

/**
 * Runs the work of a request in a span, below that of its caller (`traceparent`, W3C Trace Context), and notes the
 * trace for the access log. A visitor of a site begins a trace: any browser could name one, and whether it is
 * sampled. Names and attributes are those of OpenTelemetry's HTTP conventions (1.43).
 */
export const traceRequest = (request: Request, route: Route, finding: RequestFinding) => {
  const parent = route.origin === "visitors" ? undefined : spanFrom(request.valuesOf("traceparent")[0])
  finding.traceId = parent?.traceId
  const note = Effect.map(currentSpan, (span) => {
    if (span !== undefined) finding.traceId = span.traceId
  })
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withSpan(Effect.andThen(note, work), nameOf(route), {
      kind: "server",
      ...(parent === undefined ? { root: true } : { parent }),
      attributes: { "http.request.method": request.method, "http.route": route.path }
    })
}
