import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { Cursor, Page } from "../../storage/Cursor.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Document, DocumentStatus } from "../Document.ts"
import type { DocumentFailure } from "../reading/DocumentParser.ts"

/**
 * The limits of an owner's documents, including a new one. Failed documents are not counted, but together with them an
 * owner has at most twice as many documents and bytes, because the bytes of failed documents are stored as well.
 */
export interface DocumentQuota {
  readonly maxDocuments: number
  readonly maxDocumentBytes: number
}

/**
 * The result of an insertion under a quota. `Inserted` contains the id of the owner's first other document with the
 * same content that has not failed. `Known`: the owner already has the document, and it has not failed; nothing
 * changed. `Full` contains the number of the owner's documents that have not failed, their bytes, and the number of
 * failed ones.
 */
export type Inserted =
  | { readonly _tag: "Inserted"; readonly sameAs: string | undefined }
  | { readonly _tag: "Known" }
  | { readonly _tag: "Full"; readonly documents: number; readonly bytes: number; readonly failed: number }

export interface DocumentChange {
  readonly status: DocumentStatus
  readonly progress: number
  readonly reason?: string | undefined
  readonly reasonCode?: DocumentFailure | undefined
  readonly notice?: string | undefined
  readonly pages?: number | undefined
  readonly passages?: number | undefined
}

export interface DocumentPage {
  readonly status: DocumentStatus
  readonly userId?: UserId | undefined
  readonly documentId?: string | undefined
  /** The `next` of the previous page. */
  readonly after?: Cursor | undefined
  readonly limit: number
}

/** The list of documents. The `FileStore` contains their bytes, the `PassageIndex` their passages. */
export class DocumentStore extends Context.Service<
  DocumentStore,
  {
    /**
     * Adds a document, or restarts a failed one, unless the owner's quota is used up; concurrent insertions of one
     * owner cannot exceed it together. `content` is the SHA-256 of the file in hexadecimal, by which a repeated file is
     * recognised.
     */
    insert(document: Document, quota: DocumentQuota, content?: string): Effect.Effect<Inserted, StorageFailed>
    /** Returns the owner's documents among `ids`; documents of other people count as missing. */
    find(userId: UserId, ids: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /**
     * Returns true if any owner has a document with this id: distinguishes 403 from 404 if `find` returned none.
     * Because the owner is not known, a store over several databases asks each of them.
     */
    exists(id: string): Effect.Effect<boolean, StorageFailed>
    /** A person's documents, newest first. */
    list(userId: UserId): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /**
     * Changes the state if the owner still has the document and its status is one of `from`; returns true if it was
     * changed.
     */
    update(
      userId: UserId,
      id: string,
      from: ReadonlyArray<DocumentStatus>,
      change: DocumentChange
    ): Effect.Effect<boolean, StorageFailed>
    /**
     * Returns a page of the documents of all people, of one person or of one id, in a fixed order: for jobs and sweeps.
     */
    listByStatus(page: DocumentPage): Effect.Effect<Page<Document>, StorageFailed>
    /** Removes the owner's document with its bytes and passages; returns true if there was one. */
    remove(userId: UserId, id: string): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/documents/DocumentStore") {}
