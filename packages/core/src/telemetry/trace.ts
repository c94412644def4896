import { Context, Effect, Option, Tracer } from "effect"
import { fromRecordUnsafe } from "effect/http/Headers"
import { w3c } from "effect/http/HttpTraceContext"

/**
 * Returns the span in a text with the form of the header `traceparent` (W3C Trace Context, level 1); undefined if there
 * is none.
 */
export const spanFrom = (traceparent: string | undefined): Tracer.ExternalSpan | undefined =>
  traceparent === undefined ? undefined : Option.getOrUndefined(w3c(fromRecordUnsafe({ traceparent })))

/** The current span; undefined outside of any span, or if no traces are exported. */
export const currentSpan: Effect.Effect<Tracer.AnySpan | undefined> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  (found) => {
    const span = Option.getOrUndefined(found)
    return span === undefined || Context.get(span.annotations, Tracer.DisablePropagation) ? undefined : span
  }
)

/** The current span as a `traceparent`; undefined if there is none. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.map(
  currentSpan,
  (span) => span && `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
)

/** True if spans contain the texts of conversations. False unless an operator turns it on. */
export class TracedContents extends Context.Reference<boolean>("@parley/core/telemetry/TracedContents", {
  defaultValue: () => false
}) {}
