import { Context, Effect } from "effect"
import type { Document } from "../../documents/Document.ts"
import type { DocumentQuota } from "../../documents/storing/DocumentStore.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { VisitorChat } from "./Handovers.ts"

export interface AttachFileInput extends VisitorChat {
  /** The conversation exists: if it was deleted meanwhile, it does not come back. Otherwise it begins, without messages. */
  readonly continues: boolean
  /** A document of the bot's owner, which was just inserted. */
  readonly document: Pick<Document, "id" | "filename">
  /** The most files of the conversation. */
  readonly maxFiles: number
  /** The most that the files of all visitors of the owner's bots take. */
  readonly quota: DocumentQuota
}

/** `TooMany`: the conversation has the most files. `Full`: the files of all visitors take too much. */
export type FileAttached = "Attached" | "NoConversation" | "TooMany" | "Full"

/** The conversations whose files are deleted: one, all of a bot, or all that were not used for so many milliseconds. */
export type FilesOf =
  | VisitorChat
  | { readonly botOwner: UserId; readonly bot: string }
  | { readonly unusedForMs: number }

/**
 * The files that visitors attach to their conversations. A file is a document of the bot's owner that belongs to one
 * conversation alone, and is removed with it. Every method is fenced by the visitor or the bot, but for unused files.
 */
export class ConversationFiles extends Context.Service<
  ConversationFiles,
  {
    /**
     * Attaches a document to a conversation, as a part of the unit of work that inserts it: the caller fails the unit
     * unless the result is `Attached`. Files of one conversation are attached one after another.
     */
    attach(input: AttachFileInput): Effect.Effect<FileAttached, StorageFailed>
    /** The files of a conversation, oldest first. */
    list(chat: VisitorChat): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /** Deletes one file; returns false if it found none. A conversation with a reply that runs counts as used. */
    removeOne(of: FilesOf): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/chat/store/ConversationFiles") {}

/**
 * Deletes the files of conversations before the conversations, each by itself: forgetting the words of one can take
 * seconds, and no number of files may make a conversation too large to be deleted.
 */
export const makeRemoveFiles = Effect.map(
  ConversationFiles,
  (files) => (of: FilesOf) => Effect.asVoid(Effect.repeat(files.removeOne(of), { while: (removed) => removed }))
)
