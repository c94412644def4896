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
   * The treatment of messages with the role `system` in a request: `dropped`: as if they had not been sent; `refused`:
   * 422; `allowed`. A client that may send them controls what the model does: allow them only for requests from your
   * own server.
   */
  systemMessages: Schema.Literals(SYSTEM_MESSAGES),
  /**
   * Instructions for the model before every conversation of a person, in addition to Parley's own instruction; none by
   * default.
   */
  instructions: Schema.UndefinedOr(Schema.String.check(Schema.makeFilter(isWords, { expected: says }))),
  /**
   * The maximum number of tokens of the passages that a search adds to a prompt, best first; the first passage is
   * always added. Never more than a quarter of the model's context window.
   */
  passageTokens: whole(1, 100_000),
  /**
   * Named documents that together have at most this number of tokens are put whole into the prompt. For a summary of
   * longer documents, representative passages of at most this number of tokens are used. Never more than a quarter of
   * the model's context window. With 0 a model reads only found passages.
   */
  wholeTokens: whole(0, 100_000),
  /** Makes the messages for a model, in place of Parley's own prompt. */
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

/**
 * The settings in force. Unless configured: system messages are dropped, no instructions, 3,000 tokens of found
 * passages and 8,000 tokens of whole documents.
 */
export class ReplySettings extends Context.Reference<ReplySettingsData>("@parley/core/chat/prompt/ReplySettings", {
  defaultValue: () => DEFAULT_REPLIES
}) {}
