import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

/** A bot and a span of time, in Unix milliseconds: from one moment up to, but not including, another. */
export interface BotSpan {
  readonly botOwner: UserId
  readonly bot: string
  readonly from: number
  readonly to: number
}

/** The counts of one UTC day. */
export interface BotDay {
  /** The day, counted from 1970-01-01. */
  readonly day: number
  /** Conversations with a message on this day. */
  readonly conversations: number
  /** Those of them with a question that was not answered, or for which a person was asked. */
  readonly unresolved: number
  readonly questions: number
  /** Questions that were not answered (`isUnanswered`). */
  readonly unanswered: number
  readonly good: number
  readonly bad: number
}

/** A question that a bot did not answer. */
export interface UnansweredQuestion {
  readonly conversationId: string
  readonly question: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A document with the number of replies that cite it. */
export interface CitedDocument {
  readonly documentId: string
  readonly filename: string
  readonly replies: number
}

/** A question of fewer words needs no document: a greeting, thanks. */
export const LEAST_WORDS = 3

/**
 * Counts over the conversations of a bot, for its owner. A question of at least three words is unanswered if the reply is the
 * bot's decline, was rated bad, or cites none of the passages or documents that the bot has.
 */
export class BotReports extends Context.Service<
  BotReports,
  {
    /** The days on which something was said, in order. `hasDocuments` if the bot has some, which a reply can cite. */
    days(span: BotSpan & { readonly hasDocuments: boolean }): Effect.Effect<ReadonlyArray<BotDay>, StorageFailed>
    /** The questions that were not answered, newest first. */
    unanswered(
      span: BotSpan & { readonly hasDocuments: boolean; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<UnansweredQuestion>, StorageFailed>
    /** The documents that replies cite, most cited first. */
    cited(span: BotSpan & { readonly limit: number }): Effect.Effect<ReadonlyArray<CitedDocument>, StorageFailed>
  }
>()("@parley/core/chat/store/BotReports") {}
