import type { ChatMessage, ChatModel, Model, ModelFailed, ReplyPart } from "@parley/core/adapter"
import { Cause, Effect, Exit, Logger, Stream } from "effect"
import { FakeVendor, type Play } from "./FakeVendor.ts"

export interface Heard {
  readonly text: string
  readonly parts: ReadonlyArray<ReplyPart>
  readonly failure: ModelFailed | undefined
}

const question: ReadonlyArray<ChatMessage> = [{ role: "user", content: "Hello" }]

/** Takes a reply to its end. What is logged goes to `log`. */
export const listen = async (
  chatModel: ChatModel,
  model: Model,
  messages: ReadonlyArray<ChatMessage> = question,
  maxOutputTokens = 1_000,
  log: ReadonlyArray<Logger.Logger<unknown, unknown>> = []
): Promise<Heard> => {
  const parts: Array<ReplyPart> = []
  const exit = await Effect.runPromiseExit(
    Stream.runForEach(chatModel.stream({ model, messages, maxOutputTokens }), (part) =>
      Effect.sync(() => parts.push(part))
    ).pipe(Effect.provide(Logger.layer([...log])))
  )
  const failure = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as ModelFailed) : undefined
  return { parts, failure, text: parts.map((part) => (part._tag === "text-delta" ? part.text : "")).join("") }
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
