import type { UserId } from "../../identity/UserId.ts"

/**
 * The state of a conversation that was handed over: `waiting` for a person; `open` while a person answers it; `solved`
 * when the person is done. The bot does not answer while the state is `waiting` or `open`. A conversation without a
 * hand-over is answered by the bot.
 */
export const HANDOVER_STATES = ["waiting", "open", "solved"] as const
export type HandoverState = (typeof HANDOVER_STATES)[number]

/** The state of any conversation; `bot` if it was never handed over. */
export const CONVERSATION_STATES = ["bot", ...HANDOVER_STATES] as const
export type ConversationState = (typeof CONVERSATION_STATES)[number]

/** The languages of the mails about a hand-over. */
export const HANDOVER_LANGUAGES = ["en", "de"] as const
export type HandoverLanguage = (typeof HANDOVER_LANGUAGES)[number]

/** The hand-over of a conversation: a person answers the visitor in the place of the bot. */
export interface Handover {
  readonly state: HandoverState
  /** The visitor's address, as `mailAddressOf` returns it. */
  readonly email: string | undefined
  /** The address of the page on which the visitor asked, as the visitor's browser sent it. */
  readonly page: string | undefined
  readonly language: HandoverLanguage
  /** The person who answers the conversation; undefined if no person has taken it. */
  readonly assignee: UserId | undefined
  /**
   * Unix milliseconds: the time at which the visitor last asked for a person or, if a person took the conversation
   * without being asked, the time of that.
   */
  readonly askedAt: number
  /** The time at which the visitor last asked for new messages, accurate to some seconds. */
  readonly seenAt: number
}

/** Returns true if the conversation waits for a person or a person answers it, so that the bot does not answer. */
export const isWithPerson = (state: ConversationState | undefined): boolean => state === "waiting" || state === "open"
