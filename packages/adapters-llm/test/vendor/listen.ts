import type { ChatMessage, Model } from "@parley/core"
import type { ChatModel, ModelFailed, ReplyPart } from "@parley/core/adapter"
import { Cause, type Duration, Effect, Exit, Fiber, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { FakeVendor, type Play } from "./FakeVendor.ts"

export interface Heard {
  readonly text: string
  readonly parts: ReadonlyArray<ReplyPart>
  readonly failure: ModelFailed | undefined
}

const question: ReadonlyArray<ChatMessage> = [{ role: "user", content: "Hello" }]

const hear = (
  chatModel: ChatModel,
  model: Model,
  messages: ReadonlyArray<ChatMessage>,
  maxOutputTokens: number,
  log: ReadonlyArray<Logger.Logger<unknown, unknown>>
): Effect.Effect<Heard> =>
  Effect.gen(function* () {
    const parts: Array<ReplyPart> = []
    const hearing = Stream.runForEach(chatModel.stream({ model, messages, maxOutputTokens }), (part) =>
      Effect.sync(() => parts.push(part))
    )
    const exit = yield* Effect.exit(hearing)
    const failure = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as ModelFailed) : undefined
    return { parts, failure, text: parts.map((part) => (part._tag === "text-delta" ? part.text : "")).join("") }
  }).pipe(Effect.provide(Logger.layer([...log])))

/** Reads a reply to its end. Log records go to `log`. */
export const listen = (
  chatModel: ChatModel,
  model: Model,
  messages: ReadonlyArray<ChatMessage> = question,
  maxOutputTokens = 1_000,
  log: ReadonlyArray<Logger.Logger<unknown, unknown>> = []
): Promise<Heard> => Effect.runPromise(hear(chatModel, model, messages, maxOutputTokens, log))

/** Reads a reply to its end; only `meanwhile` moves the clock. */
export const listenWhile = (
  chatModel: ChatModel,
  model: Model,
  meanwhile: (pass: (duration: Duration.Input) => Promise<void>) => Promise<void>
): Promise<Heard> =>
  Effect.gen(function* () {
    const hearing = yield* Effect.forkChild(hear(chatModel, model, question, 1_000, []), { startImmediately: true })
    const passing = Effect.runPromiseWith(yield* Effect.context<never>())
    yield* Effect.promise(() => meanwhile((duration) => passing(TestClock.adjust(duration))))
    return yield* Fiber.join(hearing)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

/** Lets the event loop run until bytes that were written to a socket of this process have been read and handled. */
export const untilRead = async (): Promise<void> => {
  for (let round = 0; round < 12; round++) await new Promise(setImmediate)
}

/** The lines that are logged while replies are listened to. */
export const logOf = async (
  run: (listening: (chatModel: ChatModel, model: Model) => Promise<Heard>) => Promise<void>
): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
  await run((chatModel, model) => listen(chatModel, model, question, 1_000, [logger]))
  return lines
}

/** Runs a test against a vendor that plays. */
export const withVendor = async <A>(play: Play, run: (url: string, vendor: FakeVendor) => Promise<A>): Promise<A> => {
  await using vendor = new FakeVendor(play)
  return await run(await vendor.listen(), vendor)
}
