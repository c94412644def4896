import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { EndTurnInput } from "../ChatStore.ts"
import type { ConversationOwner } from "../ConversationOwner.ts"
import type { MessageState } from "../StoredMessage.ts"

/** Names the replies of a chat. */
export interface RunningChat {
  readonly owner: ConversationOwner
  readonly chatId: string
}

/** Names one reply. */
export interface ReplyName extends RunningChat {
  readonly replyId: string
}

/** What a reply has become since it was written last. */
export interface WriteReplyInput extends ReplyName {
  /** The public id of the model that writes it. */
  readonly model: string
  /** Where `text` begins in the whole reply, in UTF-16 units. */
  readonly start: number
  /** May be empty: then the reply lives on. Well-formed. */
  readonly text: string
  /** How long the reply counts as running without another write, in milliseconds. */
  readonly ttlMs: number
}

/** What a write found. */
export interface ReplyWritten {
  /**
   * How much of the reply is stored now, in UTF-16 units. Less than what was written before where the reply had counted as
   * dead: what is missing has to be written again.
   */
  readonly length: number
  /** Its reader, or another tab, has asked for its end. */
  readonly stopAsked: boolean
}

/** A reply that is being written. */
export interface RunningReply {
  readonly messageId: string
  readonly model: string
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** What there is of a reply from some place on. */
export type RunningProgress =
  /** `text` may be empty. */
  | { readonly _tag: "Running"; readonly model: string; readonly text: string }
  /** It has ended: the message has this text from there on, and this state. */
  | { readonly _tag: "Ended"; readonly model: string | undefined; readonly text: string; readonly state: MessageState }
  /** No process writes it any more and none ended it: its process died, or it came to nothing. */
  | { readonly _tag: "Lost"; readonly text: string }

/**
 * What has been written so far of the replies that go on without their reader, for every process to read: text and end of
 * a reply are kept here while it is written, and in its message afterwards. Fenced by owner as `ChatStore` is. A reply
 * whose writer is silent for longer than `ttlMs` does not count as running, by the clock that all processes share.
 */
export class RunningReplies extends Context.Service<
  RunningReplies,
  {
    /**
     * Adds to a reply what follows `start`, and lets it live on; text that is stored already is passed over, so that a
     * write may be repeated, and text that leaves a gap is not stored. Undefined where the owner has no such chat.
     */
    write(input: WriteReplyInput): Effect.Effect<ReplyWritten | undefined, StorageFailed>
    /** What there is of a reply from `from` on, which is where a text given before ended. */
    read(input: ReplyName & { readonly from: number }): Effect.Effect<RunningProgress, StorageFailed>
    /** The reply of a chat that runs, the one begun last where there are several; undefined where none does. */
    find(
      chat: RunningChat & { readonly replyId?: string | undefined }
    ): Effect.Effect<RunningReply | undefined, StorageFailed>
    /** Asks for the end of the replies of a chat that run; gives whether there are any. */
    askToStop(chat: RunningChat): Effect.Effect<boolean, StorageFailed>
    /**
     * Stores what a reply became in its message and forgets the rest, in one transaction: `ChatStore.endTurn`, also for a
     * reply that had counted as dead. May be repeated.
     */
    end(input: EndTurnInput): Effect.Effect<void, StorageFailed>
    /** Forgets a reply that came to nothing. */
    forget(reply: ReplyName): Effect.Effect<void, StorageFailed>
    /** Ends up to `limit` replies of dead processes: what was written of each becomes its message, as `failed`. Gives how many. */
    sweep(input: { readonly limit: number }): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/chat/running/RunningReplies") {}
