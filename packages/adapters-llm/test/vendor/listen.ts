import type { ChatMessage, ChatModel, Model, ModelFailed, ReplyPart } from "@parley/core"
import { Cause, Effect, Exit, Logger, Stream } from "effect"
import { FakeVendor, type Play } from "./FakeVendor.ts"

export interface Heard {
  readonly text: string
  readonly parts: ReadonlyArray<ReplyPart>
  readonly failure: ModelFailed | undefined
}

const question: ReadonlyArray<ChatMessage> = [{ role: "user", content: "Hello" }]

/** Takes a reply to its end. */
export const listen = async (
  chatModel: ChatModel,
  model: Model,
  messages: ReadonlyArray<ChatMessage> = question,
  maxOutputTokens = 1_000
): Promise<Heard> => {
  const parts: Array<ReplyPart> = []
  const exit = await Effect.runPromiseExit(
    Stream.runForEach(chatModel.stream({ model, messages, maxOutputTokens }), (part) =>
      Effect.sync(() => parts.push(part))
    ).pipe(Effect.provide(Logger.layer([])))
  )
  const failure = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as ModelFailed) : undefined
  return { parts, failure, text: parts.map((part) => (part._tag === "text-delta" ? part.text : "")).join("") }
}

/** Runs a test against a vendor that plays. */
export const withVendor = async <A>(play: Play, run: (url: string, vendor: FakeVendor) => Promise<A>): Promise<A> => {
  await using vendor = new FakeVendor(play)
  return await run(await vendor.listen(), vendor)
}
