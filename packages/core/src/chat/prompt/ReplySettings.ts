import { Context, Schema } from "effect"
import { whole } from "../../storage/inputs.ts"
import type { PromptBuilder } from "./PromptBuilder.ts"

/** The treatments of messages with the role `system` that clients send. */
export const SYSTEM_MESSAGES = ["dropped", "refused", "allowed"] as const

const says = "a text that is not blank"
const isWords = (text: string) => text.trim() !== "" && text.isWellFormed()

/** The settings of replies to people. */
export const ReplySettingsData = Schema.Struct({
  /**
   * The treatment of messages with the role `system` in a request: `dropped` as if they had not been sent, `refused` (422), or
   * `allowed`. A client that may send them decides what the model does: allow it only for requests from your own server.
   */
  systemMessages: Schema.Literals(SYSTEM_MESSAGES),
  /** Instructions for the model before every conversation of a person, in addition to Parley's own words; default none. */
  instructions: Schema.UndefinedOr(Schema.String.check(Schema.makeFilter(isWords, { expected: says }))),
  /**
   * The most tokens of passages that are offered for a question because a search found them, best first; the first one in any
   * case. Never more than a quarter of the model's window.
   */
  passageTokens: whole(1, 100_000),
  /**
   * Named documents that together have at most so many tokens are offered whole, and so many tokens represent longer ones
   * whose summary is asked for; never more than a quarter of the model's window. With 0 a model reads found passages only.
   */
  wholeTokens: whole(0, 100_000),
  /** Makes the messages that a model reads, in the place of Parley's own way. */
  prompt: Schema.optional(
    Schema.declare((value): value is PromptBuilder => typeof value === "function", { expected: "a function" })
  )
})
export type ReplySettingsData = typeof ReplySettingsData.Type

const DEFAULT_REPLIES: ReplySettingsData = {
  systemMessages: "dropped",
  instructions: undefined,
  passageTokens: 3_000,
  wholeTokens: 8_000
}

/** The settings in force: system messages dropped, no instructions, 3,000 tokens of found passages and 8,000 of whole documents, unless configured. */
export class ReplySettings extends Context.Reference<ReplySettingsData>("@parley/core/chat/prompt/ReplySettings", {
  defaultValue: () => DEFAULT_REPLIES
}) {}
