import { Clock, Effect, Scope, type Tracer } from "effect"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import { instruments } from "../../telemetry/instruments.ts"
import { TracedContents } from "../../telemetry/trace.ts"
import type { ModelCall, ObservedCall, ReportedUsage } from "./Reply.ts"

const seconds = (from: bigint, to: bigint): number => Number(to - from) / 1e9

const tracedMessages = (messages: ReadonlyArray<Pick<ChatMessage, "role" | "content">>): string =>
  JSON.stringify(messages.map(({ content, role }) => ({ role, parts: [{ type: "text", content }] })))

/** Records the duration and the tokens of a call that has ended. */
const recordEnd = (
  { provider, request: { model } }: ModelCall,
  { end, failure }: ReportedUsage,
  duration: number,
  span: Tracer.Span
): void => {
  const labels = labelsOf(provider.name, model.vendorModel)
  instruments.modelDuration.record(duration, failure === undefined ? labels : { ...labels, "error.type": failure })
  if (failure !== undefined) span.attribute("error.type", failure)
  const usage = end?.usage
  if (usage === undefined) return
  const input = usage.freshInput + usage.cacheRead + usage.cacheWrite
  instruments.modelTokens.record(input, { ...labels, "gen_ai.token.type": "input" })
  instruments.modelTokens.record(usage.output, { ...labels, "gen_ai.token.type": "output" })
  span.attribute("gen_ai.usage.input_tokens", input)
  span.attribute("gen_ai.usage.output_tokens", usage.output)
}

const labelsOf = (vendor: string, model: string) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": vendor,
  "gen_ai.request.model": model
})

/**
 * Measures a call of a model until `scope` closes: its metrics, and a span `chat {model}`, by OpenTelemetry's conventions
 * for generative AI (0.1). What `reported` says by then is part of both.
 */
export const observeCall = Effect.fnUntraced(function* (
  call: ModelCall,
  reported: ReportedUsage,
  scope: Scope.Scope
): Effect.fn.Return<ObservedCall> {
  const { maxOutputTokens, messages, model } = call.request
  const labels = labelsOf(call.provider.name, model.vendorModel)
  const clock = yield* Clock.Clock
  const span = yield* Scope.provide(
    Effect.makeSpanScoped(`chat ${model.vendorModel}`, {
      kind: "client",
      attributes: { ...labels, "gen_ai.request.max_tokens": maxOutputTokens }
    }),
    scope
  )
  const contents = yield* TracedContents
  if (contents) span.attribute("gen_ai.input.messages", tracedMessages(messages))
  const began = clock.monotonicTimeNanosUnsafe()
  const elapsed = () => seconds(began, clock.monotonicTimeNanosUnsafe())
  yield* Scope.addFinalizer(
    scope,
    Effect.sync(() => recordEnd(call, reported, elapsed(), span))
  )
  return {
    spoke: Effect.sync(() => instruments.modelFirstText.record(elapsed(), labels)),
    write: (text) =>
      Effect.sync(() => {
        if (contents) span.attribute("gen_ai.output.messages", tracedMessages([{ role: "assistant", content: text }]))
      })
  }
})
