import { Context, type Effect } from "effect"
import type { HoldProgress } from "../../credits/holds/Hold.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { Companion } from "../../storage/Companion.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { BeginTurnInput } from "../store/ChatStore.ts"
import type { ConversationOwner, MessageState } from "../store/StoredChat.ts"

/** Names the replies of a chat. */
export interface RunningChat {
  readonly owner: ConversationOwner
  readonly chatId: string
}

/** Names one running reply. */
export interface ReplyName extends RunningChat {
  readonly replyId: string
}

/** The text of a reply that was added since its last write. */
export interface WriteReplyInput extends ReplyName {
  /** The public id of the model that writes the reply. */
  readonly model: string
  /** True if readers other than the first may find the reply, read it and ask it to stop. */
  readonly joinable: boolean
  /** The offset of `text` in the whole reply, in UTF-16 units. */
  readonly start: number
  /** Well-formed text. Empty if there is no new text: the write then only shows that the reply is alive. */
  readonly text: string
}

/** One heartbeat of a reply. */
export interface ReplyBeat {
  /** The hold that pays for the reply, and the number of tokens up to the end of `reply.text`. */
  readonly hold: HoldProgress
  /** Absent while the reply has nothing to store. */
  readonly reply?: WriteReplyInput | undefined
}

/** The result of a heartbeat. */
export interface ReplyBeaten {
  /** True if the hold is not open: it has ended, or never existed. Nothing was written. */
  readonly isHoldGone: boolean
  /** True if the owner has no chat with this id. */
  readonly isChatGone: boolean
  /**
   * The length of the stored text of the reply, in UTF-16 units; shorter than before if a sweeper ended the reply.
   * Undefined if nothing was written because another call is working on the rows.
   */
  readonly length: number | undefined
  /** True if a reader has asked the reply to stop, or the person to whom the chat or the bot belongs. */
  readonly stopAsked: boolean
}

/** A reply that is being written. */
export interface RunningReply {
  readonly messageId: string
  readonly model: string
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** The state of a reply, with its text from an offset on. */
export type RunningProgress =
  /** `text` may be empty. */
  | { readonly _tag: "Running"; readonly model: string; readonly text: string }
  /** The reply has ended: the message contains this text from the offset on, and has this state. */
  | { readonly _tag: "Ended"; readonly model: string | undefined; readonly text: string; readonly state: MessageState }
  /**
   * No process writes the reply any more and no end was stored: its process died, or it failed before its first words.
   */
  | { readonly _tag: "Lost"; readonly text: string }

/**
 * The end of a reply's turn, as the companion of the operation that ends its hold: stores the final text in the message
 * and deletes the running record. Applies also to a reply that a sweeper has ended meanwhile. Nothing is stored if the
 * chat was deleted. Safe to repeat.
 */
export interface EndTurn extends Companion, ReplyName {
  readonly _tag: "EndTurn"
  readonly content: string
  readonly state: Exclude<MessageState, "streaming">
  /** The turn, if it is possibly not stored yet: then it is begun first. Otherwise undefined. */
  readonly begin: BeginTurnInput | undefined
}

/**
 * The running records of replies: the text written so far, and the hold that pays for it. A record begins with the turn
 * (`ChatStore.beginTurn`) and ends with the hold: a ledger operation with the companion `EndTurn` stores the message
 * and deletes the record. A sweep of holds ends records without an open hold; their stored text becomes the message,
 * with the state `failed`. Every method is limited to one owner, as in `ChatStore`. A reply that has not been written
 * for longer than the lifetime of holds does not count as running, by the clock that all processes share.
 */
export class RunningReplies extends Context.Service<
  RunningReplies,
  {
    /**
     * Writes one heartbeat for many replies: renews their holds as `CreditLedger.renew` does, and appends to each reply
     * its text from `start` on. Text that is stored already is skipped, so that a write may be repeated; text that
     * would leave a gap is not stored. Tokens are recorded only together with the text that they count. Answers in the
     * order of `beats`.
     */
    write(input: {
      readonly beats: ReadonlyArray<ReplyBeat>
      readonly ttlMs: number
    }): Effect.Effect<ReadonlyArray<ReplyBeaten>, StorageFailed>
    /** Returns the text of a reply from the offset `from` on, where the previously returned text ended. */
    read(input: ReplyName & { readonly from: number }): Effect.Effect<RunningProgress, StorageFailed>
    /** Finds the running joinable reply of a chat; the one begun last if there are several. */
    find(
      chat: RunningChat & { readonly replyId?: string | undefined }
    ): Effect.Effect<RunningReply | undefined, StorageFailed>
    /** Asks all running joinable replies of a chat to stop; returns true if there are any. */
    askToStop(chat: RunningChat): Effect.Effect<boolean, StorageFailed>
    /** Asks all running replies of a person to stop: in their own chats, and in those of their bots. */
    askAllToStop(userId: UserId): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/chat/reply/RunningReplies") {}
