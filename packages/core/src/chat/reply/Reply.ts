import type { Spender } from "../../credits/Spender.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { ConversationOwner, Source } from "../store/StoredChat.ts"
import type { DailyShare } from "../limits/dailyShares.ts"
import type { Stream } from "effect"
import type { ModelFailed } from "../../models/ChatModel.ts"

/** Who has to do with a reply. */
export interface ReplyParties {
  /** The account that pays: its tier decides which models may answer, and its caps hold. */
  readonly payer: UserId
  /** The owner of the documents that the reply may quote. */
  readonly documentsOwner: UserId
  /** The owner of the conversation. */
  readonly conversationOwner: ConversationOwner
  /** What the credits are spent by, as caps and usage are asked. */
  readonly source: Spender
  /** The most credits that all sources of this kind may take of the payer on one UTC day; no bound unless given. */
  readonly dailyCap?: number | undefined
  /** The bounds of the bot and of the visitor's address for that day; unbounded unless given. */
  readonly shares?: ReadonlyArray<DailyShare> | undefined
  /**
   * Where a visitor asks from, as the server knows it: of a bot's visitors, what each place leaves before its first word
   * is counted by itself, so that none uses up what the others share.
   */
  readonly askedFrom?: string | undefined
}

/** What the owner who lets others ask has decided about their replies; nothing of a request changes it. */
export interface ReplyTerms {
  /** Instructions for the model, put before the conversation and not stored with it. */
  readonly instructions: string
  /** The model that answers, whatever the request names; the first of the payer's tier where that does not have it, or null. */
  readonly modelId: string | null
  /** The most tokens of a reply; the model's own limit unless given, which holds as well. */
  readonly maxOutputTokens?: number | undefined
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
  /** Where the balance bought less than the model's longest reply: the output tokens it bought. */
  readonly limitedTo: number | undefined
  /** In the order written; each element is what was ready at once. To be read once, inside the scope of `send`. */
  readonly text: Stream.Stream<string, ModelFailed>
}
