import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { ChatShare, PersonOwner } from "../store/StoredChat.ts"

/** Names the branch of a chat to share. */
export interface ShareInput {
  readonly userId: UserId
  readonly chatId: string
  /** The id for a new share, used if the chat is not shared yet. */
  readonly id: string
  /** The id of the last message of the shared branch. */
  readonly upTo: string
}

/** The chats that people share. A share is deleted with its chat. */
export class SharedChats extends Context.Service<
  SharedChats,
  {
    /**
     * Shares one of a person's own chats up to a message; a chat that is already shared keeps the id of its share.
     * Returns the share; undefined if the person has no such chat, or the chat has no such message.
     */
    share(input: ShareInput): Effect.Effect<ChatShare | undefined, StorageFailed>
    /** Ends the share of one of a person's own chats; returns true if the chat exists. */
    unshare(userId: UserId, chatId: string): Effect.Effect<boolean, StorageFailed>
    /** Finds the shared chat by the id of its share; undefined if there is none. */
    find(
      id: string
    ): Effect.Effect<
      { readonly owner: PersonOwner; readonly chatId: string; readonly share: ChatShare } | undefined,
      StorageFailed
    >
  }
>()("@parley/core/chat/sharing/SharedChats") {}
