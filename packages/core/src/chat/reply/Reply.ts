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
  /** The account that pays: its tier determines which models may answer, and its daily caps apply. */
  readonly payer: UserId
  /** The owner of the documents that the reply may quote. */
  readonly documentsOwner: UserId
  /** The owner of the conversation. */
  readonly conversationOwner: ConversationOwner
  /** The spender of the credits, by which daily caps and usage reports group usage. */
  readonly source: Spender
  /**
   * The maximum number of credits that all spenders of this kind may spend of the payer on one UTC day; no maximum
   * unless given.
   */
  readonly dailyCap?: number | undefined
  /** The daily shares of the bot and of the visitor's address; none unless given. */
  readonly shares?: ReadonlyArray<DailyShare> | undefined
  /**
   * The address of a visitor, as the server sees it. Abandoned replies of a bot's visitors are counted for each
   * address, so that one address cannot use up the common limit of all visitors.
   */
  readonly askedFrom?: string | undefined
}

/** The rules for a reply from a bot's owner (for visitors) or from a back end (for its people). */
export interface ReplyTerms {
  /** Instructions for the model, placed before the conversation and not stored with it. */
  readonly instructions: string
  /**
   * The model that answers, whichever model the request names. If it is null, or the tier does not include it, the
   * first model of the payer's tier answers. Unless given, the request determines the model.
   */
  readonly modelId?: string | null | undefined
  /** The maximum number of tokens of a reply; the model's own limit applies in any case. */
  readonly maxOutputTokens?: number | undefined
  /**
   * True if the client keeps the conversation, and sends the whole of it with every request. Then only the messages
   * after its last reply are stored, and Parley adds no instruction of its own unless documents were searched.
   */
  readonly isClientKept?: boolean | undefined
}

/** A reply whose first words have arrived. Its hold is settled when `text` ends, fails or is abandoned. */
export interface Reply {
  readonly chatId: string
  readonly messageId: string
  /** The public id of the model that answers: the requested model, or its fallback. */
  readonly model: string
  readonly sources: ReadonlyArray<Source>
  /** The named documents that were left out because they are not ready. */
  readonly pendingDocuments: ReadonlyArray<string>
  /** The named documents that are ready, but of which the model read nothing: the first 100. */
  readonly unreadDocuments: ReadonlyArray<string>
  /**
   * The maximum number of output tokens, if the balance did not cover the model's longest reply; otherwise undefined.
   */
  readonly limitedTo: number | undefined
  /**
   * The text in the order in which it is written; each element is the text available at that moment. Read it once,
   * within the scope of `send`.
   */
  readonly text: Stream.Stream<string, ModelFailed>
}

/** The treatment of a reply whose reader leaves: it ends, or it continues to its end. */
export type OnDisconnect = "end" | "continue"

/** A reply whose first words have arrived. */
export interface OpenedReply {
  /** The call of the model that answers. */
  readonly call: ModelCall
  /** The figures that the vendor has reported so far. */
  readonly reported: ReportedUsage
  /** The rewrite of the reply's question, if there was one: charged with the reply. */
  readonly rewrite: QuestionRewrite | undefined
  readonly observed: ObservedCall
  /** The first words of the reply. */
  readonly first: string
  /** Returns all further words that are available; done after the model's end mark. */
  readonly nextText: Pull.Pull<string, ModelFailed>
  /** Closes the connection to the vendor. Safe to repeat. */
  readonly leave: Effect.Effect<void>
}

/** A reply after the rewrite of its question: calls that replace the prepared ones, within the same hold. */
export interface RevisedReply {
  readonly calls: readonly [ModelCall, ...ReadonlyArray<ModelCall>]
  readonly sources: ReadonlyArray<Source>
  readonly unread: ReadonlyArray<string>
  readonly rewrite: QuestionRewrite
}
