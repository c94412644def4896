import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Document, DocumentKey, DocumentStatus } from "../Document.ts"
import type { DocumentFailure } from "../reading/DocumentParser.ts"

/**
 * What the documents of an owner may not exceed, a new one included. Failed ones are not counted, and may be as many and as
 * large again: their bytes are stored, too.
 */
export interface DocumentQuota {
  readonly maxDocuments: number
  readonly maxDocumentBytes: number
}

/**
 * How an insertion under a quota went. `Known`: the owner has the document already, and it has not failed; nothing was changed.
 * `Full` says what the owner has: documents that have not failed, their bytes, and how many have failed.
 */
export type Inserted =
  | { readonly _tag: "Inserted" }
  | { readonly _tag: "Known" }
  | { readonly _tag: "Full"; readonly documents: number; readonly bytes: number; readonly failed: number }

export interface DocumentChange {
  readonly status: DocumentStatus
  readonly progress: number
  readonly reason?: string | undefined
  readonly reasonCode?: DocumentFailure | undefined
  readonly pages?: number | undefined
  readonly passages?: number | undefined
}

/** The list of documents. Their bytes are in the `FileStore`, their passages in the `PassageIndex`. */
export class DocumentStore extends Context.Service<
  DocumentStore,
  {
    /**
     * Adds a document, or takes a failed one again, unless the owner's quota is used up; concurrent insertions of one owner
     * cannot exceed it together.
     */
    insert(document: Document, quota: DocumentQuota): Effect.Effect<Inserted, StorageFailed>
    /** The owner's documents among `ids`; those of others are as ids that name none. */
    find(userId: UserId, ids: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /**
     * Whether there is a document of this id, of any owner: what distinguishes 403 from 404 once `find` gave none. The one
     * question here that names no owner, and so the one that a database sharded by owner asks of every shard.
     */
    exists(id: string): Effect.Effect<boolean, StorageFailed>
    /** A person's documents, newest first. */
    list(userId: UserId): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /** Changes state where the owner still has the document and it is in one of `from`; gives whether it did. */
    update(
      userId: UserId,
      id: string,
      from: ReadonlyArray<DocumentStatus>,
      change: DocumentChange
    ): Effect.Effect<boolean, StorageFailed>
    /** Everybody's documents that are `processing`, in a fixed order, from the one after `after`: for sweeps. */
    listProcessing(page: {
      readonly after: DocumentKey | undefined
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<DocumentKey>, StorageFailed>
    /**
     * Everybody's documents that are `ready`, or one person's, or those of one id, in a fixed order, from the one after `after`:
     * for what is done with all of them.
     */
    listReady(page: {
      readonly userId?: UserId | undefined
      readonly documentId?: string | undefined
      readonly after: DocumentKey | undefined
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /** Removes the owner's document with its bytes and passages; gives whether there was one. */
    remove(userId: UserId, id: string): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/documents/DocumentStore") {}
