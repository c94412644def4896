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
 * Copies the builder's messages once, so that the counted messages equal the sent ones even if the builder changes its
 * objects later. Replaces unpaired surrogates, which no vendor accepts. Returns undefined if the value is not a list of
 * messages.
 */
const messagesFrom = (given: unknown): ReadonlyArray<ChatMessage> | undefined => {
  if (!Array.isArray(given)) return undefined
  const messages = given.map((each: unknown): ChatMessage => {
    const { content, role } = Object(each) as ChatMessage
    return { role, content: typeof content === "string" ? content.toWellFormed() : content }
  })
  return messages.every(isMessage) && messages.some(({ role }) => role === "user") ? messages : undefined
}

/** Calls the application's prompt builder with the parts of Parley's own prompt, and checks and bounds its result. */
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
