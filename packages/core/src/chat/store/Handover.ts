import type { UserId } from "../../identity/UserId.ts"

/**
 * The state of a conversation that was handed over: `waiting` for a person, `open` while a person has it, `solved` when
 * the person is done. In the first two the bot is silent. A conversation without a hand-over is the bot's.
 */
export const HANDOVER_STATES = ["waiting", "open", "solved"] as const
export type HandoverState = (typeof HANDOVER_STATES)[number]

/** The state of any conversation; `bot` if it was never handed over. */
export const CONVERSATION_STATES = ["bot", ...HANDOVER_STATES] as const
export type ConversationState = (typeof CONVERSATION_STATES)[number]

/** The languages of the mails of a hand-over. */
export const HANDOVER_LANGUAGES = ["en", "de"] as const
export type HandoverLanguage = (typeof HANDOVER_LANGUAGES)[number]

/** The hand-over of a conversation: a person answers the visitor in the place of the bot. */
export interface Handover {
  readonly state: HandoverState
  /** The visitor's address, as `mailAddressOf` returns it. */
  readonly email: string | undefined
  /** The address of the page on which the visitor asked, as the visitor's browser named it. */
  readonly page: string | undefined
  readonly language: HandoverLanguage
  /** The person who has the conversation. */
  readonly assignee: UserId | undefined
  /** When the visitor asked last, in Unix milliseconds; of a conversation that a person took unasked, when that was. */
  readonly askedAt: number
  /** When the visitor last looked for new messages, to some seconds. */
  readonly seenAt: number
}

/** True if a person answers, and the bot is silent. */
export const isWithPerson = (state: ConversationState | undefined): boolean => state === "waiting" || state === "open"
