import { failureFields } from "@parley/core/adapter"
import { Cause, Effect, Exit, Layer, Tracer } from "effect"

/** The exit of a span with a failure reduced to the name that logs use, without its message, stack and causes. */
const named = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  const { failure, ...codes } = failureFields(Cause.squash(exit.cause))
  return Exit.fail({ name: failure, message: Object.values(codes).join(" ") })
}

const quiet = (span: Tracer.Span): Tracer.Span => {
  const end = span.end.bind(span)
  return Object.assign(span, { end: (time: bigint, exit: Exit.Exit<unknown, unknown>) => end(time, named(exit)) })
}

/**
 * A tracer whose spans contain only names and codes of failures: messages may contain people's data and texts of
 * databases and vendors.
 */
export const quietTracerLayer: Layer.Layer<never> = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) =>
    Tracer.make({ span: (options) => quiet(tracer.span(options)), context: tracer.context })
  )
)
