import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { DocumentKey } from "../Document.ts"

/** The numbers of files that were moved and removed. */
export interface FilesMoved {
  readonly moved: number
  readonly removed: number
}

export const NOTHING_MOVED: FilesMoved = { moved: 0, removed: 0 }

/** The uploaded bytes of documents. */
export class FileStore extends Context.Service<
  FileStore,
  {
    /** Writes a document's bytes in place of earlier ones. The document must have been inserted before. */
    write(input: DocumentKey & { readonly bytes: Uint8Array }): Effect.Effect<void, StorageFailed>
    /** Returns a document's bytes; undefined if the owner has no such document. */
    read(document: DocumentKey): Effect.Effect<Uint8Array | undefined, StorageFailed>
    /**
     * Returns at most `length` of a document's bytes from `offset` on, and at least one if there are any; undefined if
     * the owner has no such document. For reading a file piece by piece.
     */
    readSome(
      input: DocumentKey & { readonly offset: number; readonly length: number }
    ): Effect.Effect<Uint8Array | undefined, StorageFailed>
    /**
     * Moves the bytes of at most `limit` documents to the object store, except those that a process is working on, and
     * removes at most `limit` objects that are no longer needed. Returns both numbers; less than `limit` means that
     * little is left. A store that keeps bytes in one place moves nothing. Several processes may call it at once.
     */
    move(input: { readonly limit: number }): Effect.Effect<FilesMoved, StorageFailed>
  }
>()("@parley/core/documents/FileStore") {}

/** Objects by their keys, as in S3 and similar stores. An object is written once and never changed. */
export interface Objects {
  /** Writes an object. Writing the same bytes again changes nothing. */
  put(key: string, bytes: Uint8Array): Effect.Effect<void, StorageFailed>
  /** Returns an object's bytes; undefined if there is none. */
  read(key: string): Effect.Effect<Uint8Array | undefined, StorageFailed>
  /**
   * Returns at most `length` bytes from `offset` on, which must lie within the object; undefined if there is no such
   * object.
   */
  readSome(key: string, offset: number, length: number): Effect.Effect<Uint8Array | undefined, StorageFailed>
  /** Removes an object; succeeds also if there is no such object. */
  remove(key: string): Effect.Effect<void, StorageFailed>
}

/** The store of documents' bytes outside the database; none unless configured. */
export class ObjectStore extends Context.Reference<Objects | undefined>("@parley/core/documents/ObjectStore", {
  defaultValue: () => undefined
}) {}
