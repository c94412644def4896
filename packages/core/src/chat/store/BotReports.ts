import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

/** A bot and a range of time, in Unix milliseconds: from the first time up to, but not including, the second. */
export interface BotSpan {
  readonly botOwner: UserId
  readonly bot: string
  readonly from: number
  readonly to: number
}

/** The counts of one UTC day. */
export interface BotDay {
  /** The UTC day, counted from 1970-01-01. */
  readonly day: number
  /** The number of conversations in which the bot replied on this day. */
  readonly conversations: number
  /** The number of those conversations that have an unanswered question, or that were ever handed over. */
  readonly unresolved: number
  readonly questions: number
  /** The number of unanswered questions (`isUnanswered`). */
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

/** A document, and the number of replies that cite it. */
export interface CitedDocument {
  readonly documentId: string
  readonly filename: string
  readonly replies: number
}

/** A question with fewer words than this, such as a greeting or thanks, needs no document. */
export const LEAST_WORDS = 3

/**
 * Counts the conversations of a bot, for its owner. A question of at least three words is unanswered if the reply is
 * the bot's decline, was rated as bad, or cites no source although the bot has passages or documents.
 */
export class BotReports extends Context.Service<
  BotReports,
  {
    /**
     * The days with replies of the bot, in order. `hasDocuments` is true if the bot has documents that a reply can
     * cite.
     */
    days(span: BotSpan & { readonly hasDocuments: boolean }): Effect.Effect<ReadonlyArray<BotDay>, StorageFailed>
    /** The unanswered questions, newest first. */
    unanswered(
      span: BotSpan & { readonly hasDocuments: boolean; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<UnansweredQuestion>, StorageFailed>
    /** The documents that replies cite, most cited first. */
    cited(span: BotSpan & { readonly limit: number }): Effect.Effect<ReadonlyArray<CitedDocument>, StorageFailed>
  }
>()("@parley/core/chat/store/BotReports") {}
