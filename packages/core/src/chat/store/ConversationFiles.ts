import { Context, Effect } from "effect"
import type { Document } from "../../documents/Document.ts"
import type { DocumentQuota } from "../../documents/storing/DocumentStore.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { VisitorChat } from "./Handovers.ts"

export interface AttachFileInput extends VisitorChat {
  /**
   * True if the conversation exists: if it was deleted meanwhile, it is not created again. False: a conversation
   * without messages is created if necessary.
   */
  readonly continues: boolean
  /** A document of the bot's owner that the same unit of work inserted. */
  readonly document: Pick<Document, "id" | "filename">
  /** The maximum number of files in the conversation. */
  readonly maxFiles: number
  /** The maximum size of the files of all visitors of the owner's bots. */
  readonly quota: DocumentQuota
}

/** `TooMany`: the conversation has the maximum number of files. `Full`: the files of all visitors exceed the quota. */
export type FileAttached = "Attached" | "NoConversation" | "TooMany" | "Full"

/**
 * The conversations whose files are deleted: one conversation, all of a bot, or all that were not used for
 * `unusedForMs`.
 */
export type FilesOf =
  | VisitorChat
  | { readonly botOwner: UserId; readonly bot: string }
  | { readonly unusedForMs: number }

/**
 * The files that visitors attach to their conversations. A file is a document of the bot's owner that belongs to one
 * conversation only, and is removed with it. Every method is limited to one visitor or bot, except for unused files.
 */
export class ConversationFiles extends Context.Service<
  ConversationFiles,
  {
    /**
     * Attaches a document to a conversation, within the unit of work that inserts the document: the caller fails the
     * unit unless the result is `Attached`. Files of one conversation are attached one after another.
     */
    attach(input: AttachFileInput): Effect.Effect<FileAttached, StorageFailed>
    /** The files of a conversation, oldest first. */
    list(chat: VisitorChat): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /** Deletes one file; returns false if there was none. A conversation with a running reply counts as used. */
    removeOne(of: FilesOf): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/chat/store/ConversationFiles") {}

/**
 * Deletes the files of conversations one by one, before the conversations themselves: removing the words of one file
 * from the index can take seconds, and many files must not make a conversation too large to delete.
 */
export const makeRemoveFiles = Effect.map(
  ConversationFiles,
  (files) => (of: FilesOf) => Effect.asVoid(Effect.repeat(files.removeOne(of), { while: (removed) => removed }))
)
