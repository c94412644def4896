import type { Spender } from "../../credits/Spender.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { ConversationOwner, Source } from "../store/StoredChat.ts"
import type { DailyShare } from "../limits/dailyShares.ts"
import type { Effect, Pull, Stream } from "effect"
import type { QuestionRewrite } from "../../credits/Transaction.ts"
import type { ModelFailed } from "../../models/ChatModel.ts"
import type { ModelCall, ObservedCall, ReportedUsage } from "../../models/replyStream.ts"

/** The parties of a reply. */
export interface ReplyParties {
  /** The account that pays: its tier decides which models may answer, and its caps hold. */
  readonly payer: UserId
  /** The owner of the documents that the reply may quote. */
  readonly documentsOwner: UserId
  /** The owner of the conversation. */
  readonly conversationOwner: ConversationOwner
  /** The source of the usage, by which daily caps and usage reports group it. */
  readonly source: Spender
  /** The most credits that all sources of this kind may spend of the payer on one UTC day; no bound unless given. */
  readonly dailyCap?: number | undefined
  /** The bounds of the bot and of the visitor's address for that day; unbounded unless given. */
  readonly shares?: ReadonlyArray<DailyShare> | undefined
  /**
   * The address of a visitor, as the server knows it. Replies that a bot's visitors abandon before the first word are
   * counted for each address, so that no address uses up the visitors' common limit.
   */
  readonly askedFrom?: string | undefined
}

/** The rules of a bot's owner for replies to visitors, or of a back end for replies to its people. */
export interface ReplyTerms {
  /** Instructions for the model, put before the conversation and not stored with it. */
  readonly instructions: string
  /**
   * The model that answers, whichever model the request names; the first of the payer's tier if the tier does not have
   * it or if this is null. The request decides unless given.
   */
  readonly modelId?: string | null | undefined
  /** The most tokens of a reply; the model's own limit, which also applies, unless given. */
  readonly maxOutputTokens?: number | undefined
  /**
   * The client keeps the conversation, and sends the whole of it with every request: only the messages after its last
   * reply are stored, and no instruction of Parley's stands before it unless documents were searched.
   */
  readonly isClientKept?: boolean | undefined
}

/** A reply whose first words have arrived. Its credits are settled when `text` ends, fails or is left. */
export interface Reply {
  readonly chatId: string
  readonly messageId: string
  /** The public id of the model that answers: the one asked for, or its fallback. */
  readonly model: string
  readonly sources: ReadonlyArray<Source>
  /** Named documents that are not ready and were left out. */
  readonly pendingDocuments: ReadonlyArray<string>
  /** Named documents that are ready, and of which the model read nothing: the first 100. */
  readonly unreadDocuments: ReadonlyArray<string>
  /** If the balance bought less than the model's longest reply: the output tokens that it bought. */
  readonly limitedTo: number | undefined
  /**
   * The text in the order written; each element is the text available at that moment. Read it once, inside the scope of
   * `send`.
   */
  readonly text: Stream.Stream<string, ModelFailed>
}

/** The treatment of a reply whose reader leaves. */
export type OnDisconnect = "end" | "continue"

/** A reply whose first words have arrived. */
export interface OpenedReply {
  /** The model that answers. */
  readonly call: ModelCall
  /** The vendor's reports so far. */
  readonly reported: ReportedUsage
  /** Of its question, if it was rewritten: charged with the reply. */
  readonly rewrite: QuestionRewrite | undefined
  readonly observed: ObservedCall
  /** Its first words. */
  readonly first: string
  /** All next words that are available; done after the end mark. */
  readonly nextText: Pull.Pull<string, ModelFailed>
  /** Closes the connection to the vendor. Safe to repeat. */
  readonly leave: Effect.Effect<void>
}

/** A reply after the rewrite of its question: what is asked in place of the prepared calls, within the same hold. */
export interface RevisedReply {
  readonly calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
  readonly sources: ReadonlyArray<Source>
  readonly unread: ReadonlyArray<string>
  readonly rewrite: QuestionRewrite
}
