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

/** Names one reply. */
export interface ReplyName extends RunningChat {
  readonly replyId: string
}

/** The changes of a reply since it was last written. */
export interface WriteReplyInput extends ReplyName {
  /** The public id of the model that writes it. */
  readonly model: string
  /** Other readers than its first one may find it, read it and ask it to stop. */
  readonly joinable: boolean
  /** Offset of `text` in the whole reply, in UTF-16 units. */
  readonly start: number
  /** May be empty: then the reply lives on. Well-formed. */
  readonly text: string
}

/** One heartbeat of a reply. */
export interface ReplyBeat {
  /** The hold that pays it, and the tokens up to the end of `reply.text`. */
  readonly hold: HoldProgress
  /** Absent while the reply has nothing to store. */
  readonly reply?: WriteReplyInput | undefined
}

/** The result of a heartbeat. */
export interface ReplyBeaten {
  /** The hold is not open: it was ended, or never was. Nothing was written. */
  readonly isHoldGone: boolean
  /** The owner has no chat with this id. */
  readonly isChatGone: boolean
  /**
   * Length of the stored text of the reply, in UTF-16 units; less than before if a sweeper ended the reply. Undefined
   * if nothing was written because another call is working on the rows.
   */
  readonly length: number | undefined
  /** A reader has asked for its end, or the person whose chat or bot it is. */
  readonly stopAsked: boolean
}

/** A reply that is being written. */
export interface RunningReply {
  readonly messageId: string
  readonly model: string
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** The text of a reply from an offset on. */
export type RunningProgress =
  /** `text` may be empty. */
  | { readonly _tag: "Running"; readonly model: string; readonly text: string }
  /** It has ended: the message has this text from there on, and this state. */
  | { readonly _tag: "Ended"; readonly model: string | undefined; readonly text: string; readonly state: MessageState }
  /** No process writes it any more and none ended it: its process died, or it came to nothing. */
  | { readonly _tag: "Lost"; readonly text: string }

/**
 * The end of a reply's turn, as the companion of the operation that ends its hold: stores the final text in the message
 * and deletes the running record. A reply that a sweeper ended meanwhile ends again. Nothing is stored if the chat was
 * deleted; may be repeated.
 */
export interface EndTurn extends Companion, ReplyName {
  readonly _tag: "EndTurn"
  readonly content: string
  readonly state: Exclude<MessageState, "streaming">
  /** The turn, if it is not known to be stored: it is begun first. */
  readonly begin: BeginTurnInput | undefined
}

/**
 * The running records of replies: the text written so far, and the hold that pays for it. A record begins with the turn
 * (`ChatStore.beginTurn`) and ends with the hold: a ledger's operation with the companion `EndTurn` stores the message
 * and deletes the record, and a sweep of holds ends records without an open hold, so that the stored text becomes the
 * message, as `failed`. Fenced by owner as `ChatStore` is. A reply that is not written for longer than holds live does
 * not count as running, by the clock that all processes share.
 */
export class RunningReplies extends Context.Service<
  RunningReplies,
  {
    /**
     * One heartbeat for many replies: renews their holds as `CreditLedger.renew` does, and appends to each reply its
     * text from `start` on. Text that is stored already is skipped, so that a write may be repeated; text that would
     * leave a gap is not stored. Tokens are recorded only together with the text that they count. Answers in the order
     * of `beats`.
     */
    write(input: {
      readonly beats: ReadonlyArray<ReplyBeat>
      readonly ttlMs: number
    }): Effect.Effect<ReadonlyArray<ReplyBeaten>, StorageFailed>
    /** The text of a reply from the offset `from` on, which is the end of a text returned before. */
    read(input: ReplyName & { readonly from: number }): Effect.Effect<RunningProgress, StorageFailed>
    /** The reply of a chat that runs and may be joined, the one begun last if there are several. */
    find(
      chat: RunningChat & { readonly replyId?: string | undefined }
    ): Effect.Effect<RunningReply | undefined, StorageFailed>
    /** Asks for the end of the replies of a chat that run and may be joined; returns whether there are any. */
    askToStop(chat: RunningChat): Effect.Effect<boolean, StorageFailed>
    /** Asks for the end of all running replies of a person: in their own chats, and in those of their bots. */
    askAllToStop(userId: UserId): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/chat/reply/RunningReplies") {}
