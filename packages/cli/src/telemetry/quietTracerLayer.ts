import { failureFields } from "@parley/core/adapter"
import { Cause, Effect, Exit, Layer, Tracer } from "effect"

/** The end of a span: a failure is named as logs name it, without its message, its stack and its causes. */
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
 * The tracer, whose spans contain nothing of a failure but names and codes: messages contain people's data, and the texts of
 * databases and vendors.
 */
export const quietTracerLayer: Layer.Layer<never> = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) =>
    Tracer.make({ span: (options) => quiet(tracer.span(options)), context: tracer.context })
  )
)
