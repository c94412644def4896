import { Context } from "effect"
import type { PromptBuilder } from "./PromptBuilder.ts"

/** What may become of messages with the role `system` that clients send. */
export const SYSTEM_MESSAGES = ["dropped", "refused", "allowed"] as const

/** How replies to people are made. */
export interface ReplySettingsData {
  /**
   * What becomes of messages with the role `system` in a request: `dropped` as if they had not been sent, `refused` (422), or
   * `allowed`. A client that may send them decides what the model does: allow it where requests come from your own server alone.
   */
  readonly systemMessages: (typeof SYSTEM_MESSAGES)[number]
  /** What the model is told before every conversation of a person, in addition to Parley's own words; nothing unless given. */
  readonly instructions: string | undefined
  /** How many passages of the named documents a model is offered at most: 1 to 50. */
  readonly passages: number
  /** Makes the messages a model reads, in the place of Parley's own way. */
  readonly prompt?: PromptBuilder | undefined
}

/** What holds where nothing is configured. */
export const DEFAULT_REPLIES: ReplySettingsData = { systemMessages: "dropped", instructions: undefined, passages: 12 }

/** The settings in force: system messages dropped, no instructions, 12 passages, unless configured. */
export class ReplySettings extends Context.Reference<ReplySettingsData>("@parley/core/chat/prompt/ReplySettings", {
  defaultValue: () => DEFAULT_REPLIES
}) {}

const MAX_PASSAGES = 50

/** Takes what was configured over the settings in force. Throws a `TypeError` where that cannot be. */
export const replySettingsOver = (
  defaults: ReplySettingsData,
  given: Partial<ReplySettingsData>
): ReplySettingsData => {
  const settings = { ...defaults, ...given }
  const { instructions, passages, prompt, systemMessages } = settings
  if (!SYSTEM_MESSAGES.includes(systemMessages)) {
    throw new TypeError(`replies.systemMessages: expected one of ${SYSTEM_MESSAGES.join(", ")}.`)
  }
  if (!Number.isInteger(passages) || passages < 1 || passages > MAX_PASSAGES) {
    throw new TypeError(`replies.passages: expected a whole number from 1 to ${MAX_PASSAGES}.`)
  }
  if (instructions !== undefined && (instructions.trim() === "" || !instructions.isWellFormed())) {
    throw new TypeError("replies.instructions: expected a text that says something.")
  }
  if (prompt !== undefined && typeof prompt !== "function") {
    throw new TypeError("replies.prompt: expected a function that gives messages.")
  }
  return settings
}
