import {
  type ChatModel,
  type ChatModelRequest,
  ModelFailed,
  type ModelFailure,
  type ReplyPart
} from "@parley/core/adapter"
import { Duration, Effect, Stream } from "effect"

/** What the vendor writes: a line of JSON for each piece of text, and one at the end. */
type Line =
  | { readonly text: string }
  | { readonly end: "completed" | "length"; readonly input: number; readonly output: number }
  | { readonly error: ModelFailure }

const SILENCE = Duration.seconds(30)
const RETRYABLE: ReadonlyArray<ModelFailure> = ["cut-off", "stalled", "rate-limited", "unavailable"]
const reasons: Readonly<Record<number, ModelFailure>> = { 401: "misconfigured", 422: "refused", 429: "rate-limited" }

/** A model of a vendor whose replies are lines of JSON over HTTP. */
export const lineModel = (url: string): ChatModel => ({
  name: "lines",
  stream: ({ maxOutputTokens, messages, model }: ChatModelRequest) => {
    const failed = (reason: ModelFailure, cause?: unknown) =>
      new ModelFailed({ model: model.id, reason, retryable: RETRYABLE.includes(reason), cause })
    const partOf = (line: string): Effect.Effect<ReplyPart, ModelFailed> =>
      Effect.suspend((): Effect.Effect<ReplyPart, ModelFailed> => {
        const read = JSON.parse(line) as Line
        if ("error" in read) return Effect.fail(failed(read.error))
        if ("text" in read) return Effect.succeed({ _tag: "text-delta", text: read.text })
        const usage = { freshInput: read.input, cacheRead: 0, cacheWrite: 0, output: read.output }
        return Effect.succeed({ _tag: "end", reason: read.end, usage })
      }).pipe(Effect.catchDefect((cause) => Effect.fail(failed("bad-answer", cause))))
    const asked = Effect.gen(function* () {
      // Leaving the stream aborts the request, with which the vendor stops.
      const controller = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (each) => Effect.sync(() => each.abort())
      )
      const body = JSON.stringify({ model: model.vendorModel, messages, maxOutputTokens })
      const response = yield* Effect.tryPromise({
        try: () => fetch(url, { method: "POST", body, signal: controller.signal }),
        catch: (cause) => failed("unavailable", cause)
      })
      if (!response.ok || response.body === null) return yield* failed(reasons[response.status] ?? "unavailable")
      return response.body
    }).pipe(Effect.timeoutOrElse({ duration: SILENCE, orElse: () => Effect.fail(failed("stalled")) }))
    const lines = Stream.unwrap(
      Effect.map(asked, (body) =>
        Stream.fromReadableStream({ evaluate: () => body, onError: (cause) => failed("cut-off", cause) })
      )
    ).pipe(Stream.decodeText, Stream.splitLines)
    const parts = lines.pipe(
      Stream.timeoutOrElse({ duration: SILENCE, orElse: () => Stream.fail(failed("stalled")) }),
      Stream.mapEffect(partOf)
    )
    return wholeReply(parts, failed)
  }
})

/** A stream without an end mark is a broken reply, and one without words is an empty one. */
const wholeReply = (
  parts: Stream.Stream<ReplyPart, ModelFailed>,
  failed: (reason: ModelFailure) => ModelFailed
): Stream.Stream<ReplyPart, ModelFailed> => {
  const seen = { text: false, end: false }
  const checked = Stream.mapEffect(parts, (part) => {
    if (part._tag === "text-delta") seen.text = true
    if (part._tag === "end") seen.end = true
    return part._tag === "end" && !seen.text ? Effect.fail(failed("empty")) : Effect.succeed(part)
  })
  return Stream.concat(
    checked,
    Stream.suspend(() => (seen.end ? Stream.empty : Stream.fail(failed("cut-off"))))
  )
}
