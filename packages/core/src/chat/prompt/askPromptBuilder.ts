import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { type ChatMessage, ROLES } from "../../models/ChatMessage.ts"
import { countMessages } from "../../models/messageTokens.ts"
import type { Model } from "../../models/Model.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import { PromptBuilderFailed } from "../errors.ts"
import { type Prompt, promptOf } from "./prompt.ts"
import type { PromptBuilder } from "./PromptBuilder.ts"

const isMessage = ({ content, role }: ChatMessage): boolean =>
  ROLES.includes(role) && typeof content === "string" && content.trim() !== ""

/**
 * What a builder gave, read once: what is counted is what is sent, whatever becomes of its own objects later. Lone
 * surrogates, which no vendor takes, are replaced. Undefined where it is no list of messages.
 */
const messagesFrom = (given: unknown): ReadonlyArray<ChatMessage> | undefined => {
  if (!Array.isArray(given)) return undefined
  const messages = given.map((each: unknown): ChatMessage => {
    const { content, role } = Object(each) as ChatMessage
    return { role, content: typeof content === "string" ? content.toWellFormed() : content }
  })
  return messages.every(isMessage) && messages.some(({ role }) => role === "user") ? messages : undefined
}

/** Has the application's builder make the messages out of what our own prompt is made of, and bounds what it gives. */
export const askPromptBuilder = Effect.fnUntraced(function* (
  build: PromptBuilder,
  ours: Prompt,
  model: Model,
  payer: UserId
) {
  const messages = yield* Effect.try({
    try: () => messagesFrom(build(ours.parts())),
    catch: (cause) => new PromptBuilderFailed({ problem: "threw", cause })
  })
  if (messages === undefined) return yield* new PromptBuilderFailed({ problem: "no-messages" })
  const { contextTokens: window } = model
  if (!(yield* countMessages(payer, messages, window))) {
    return yield* new PromptBuilderFailed({ problem: "too-long", window })
  }
  return yield* Effect.fromResult(promptOf(ours, messages, model, yield* Tokenizer))
})
