import type { Bot } from "../bots/Bot.ts"
import { citedNumbers } from "../chat/sources/citedNumbers.ts"
import type { ConversationState } from "../chat/store/Handover.ts"
import type { WidgetFile } from "./files/attachFile.ts"
import type { MessageState, Source, ReplyRating, StoredMessage } from "../chat/store/StoredChat.ts"

/** A source as it is shown to visitors. */
export interface ShownToVisitor extends Pick<Source, "number" | "filename" | "page" | "text"> {}

/** A message of a conversation as it is shown to its visitor. */
export interface WidgetMessage {
  readonly id: string
  readonly role: "user" | "assistant"
  readonly content: string
  readonly state: MessageState
  /** The name of the person who wrote the message, possibly empty; absent for other messages. */
  readonly author?: string
  /** The visitor's rating; absent if there is none, or if the message cannot be rated. */
  readonly rating?: ReplyRating["rating"]
  /** True if the bot wrote the message, so that the visitor may rate it. */
  readonly ratable: boolean
  /** The sources that the reply cites, if the bot shows sources. */
  readonly sources: ReadonlyArray<ShownToVisitor>
}

/** A conversation as it is shown to its visitor. */
export interface WidgetTranscript {
  readonly conversationId: string
  readonly state: ConversationState
  /** True if the visitor has given an e-mail address for a person's answer. */
  readonly hasEmail: boolean
  /** The newest messages, in order; if the visitor named a message, only those after it. */
  readonly messages: ReadonlyArray<WidgetMessage>
  /**
   * The files that the visitor attached, oldest first; undefined if only new messages were requested and there are
   * none.
   */
  readonly files?: ReadonlyArray<WidgetFile>
}

const shownOf = (bot: Bot, { content, sources }: StoredMessage): ReadonlyArray<ShownToVisitor> => {
  if (!bot.showSources || sources.length === 0) return []
  const cited = citedNumbers(content)
  return sources
    .filter(({ number }) => cited.has(number))
    .map(({ filename, number, page, text }) => ({ number, filename, page, text }))
}

/** Returns a message as it is shown to its visitor; none if it has the role `system`. */
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

/** Returns the messages after a given one; all messages if the list does not contain it. */
export const messagesAfter = (messages: ReadonlyArray<StoredMessage>, after: string | undefined) =>
  messages.slice(messages.findIndex(({ id }) => id === after?.toLowerCase()) + 1)
