import type { Bot } from "../bots/Bot.ts"
import { citedNumbers } from "../chat/sources/citedNumbers.ts"
import type { ConversationState } from "../chat/store/Handover.ts"
import type { WidgetFile } from "./files/attachFile.ts"
import type { MessageState, Source, ReplyRating, StoredMessage } from "../chat/store/StoredChat.ts"

/** A source as visitors see it. */
export interface ShownToVisitor extends Pick<Source, "number" | "filename" | "page" | "text"> {}

/** A message of a conversation as its visitor sees it. */
export interface WidgetMessage {
  readonly id: string
  readonly role: "user" | "assistant"
  readonly content: string
  readonly state: MessageState
  /** The name of the person who wrote it, which may be empty; absent of other messages. */
  readonly author?: string
  /** The visitor's rating; absent without one, and of messages that cannot be rated. */
  readonly rating?: ReplyRating["rating"]
  /** The bot wrote it: the visitor may rate it. */
  readonly ratable: boolean
  /** Those that the reply cites, where the bot shows them. */
  readonly sources: ReadonlyArray<ShownToVisitor>
}

/** A conversation as its visitor sees it. */
export interface WidgetTranscript {
  readonly conversationId: string
  readonly state: ConversationState
  /** The visitor has given an address for a person's answer. */
  readonly hasEmail: boolean
  /** The newest, in order; of these only the ones after a message that the visitor named. */
  readonly messages: ReadonlyArray<WidgetMessage>
  /** The files that the visitor attached, oldest first; undefined if only new messages were asked for and there are none. */
  readonly files?: ReadonlyArray<WidgetFile>
}

const shownOf = (bot: Bot, { content, sources }: StoredMessage): ReadonlyArray<ShownToVisitor> => {
  if (!bot.showSources || sources.length === 0) return []
  const cited = citedNumbers(content)
  return sources
    .filter(({ number }) => cited.has(number))
    .map(({ filename, number, page, text }) => ({ number, filename, page, text }))
}

/** A message as its visitor sees it: nothing of one with the role `system`. */
export const shownMessage = (bot: Bot, message: StoredMessage): ReadonlyArray<WidgetMessage> => {
  const { author, content, id, model, rating, role, state } = message
  if (role === "system") return []
  const ratable = model !== undefined && state !== "streaming"
  return [
    {
      ...{ id, role, content, state, ratable },
      sources: shownOf(bot, message),
      ...(author === undefined ? {} : { author }),
      ...(rating === undefined ? {} : { rating: rating.rating })
    }
  ]
}

/** The messages after one of them; all if it is not among them. */
export const messagesAfter = (messages: ReadonlyArray<StoredMessage>, after: string | undefined) =>
  messages.slice(messages.findIndex(({ id }) => id === after?.toLowerCase()) + 1)
