import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { DocumentKey } from "../Document.ts"

/** The number of files that were moved and removed. */
export interface FilesMoved {
  readonly moved: number
  readonly removed: number
}

export const NOTHING_MOVED: FilesMoved = { moved: 0, removed: 0 }

/** The uploaded bytes of documents. */
export class FileStore extends Context.Service<
  FileStore,
  {
    /** Writes a document's bytes, in place of earlier ones. The document must have been inserted. */
    write(input: DocumentKey & { readonly bytes: Uint8Array }): Effect.Effect<void, StorageFailed>
    /** Returns a document's bytes; undefined if its owner has none. */
    read(document: DocumentKey): Effect.Effect<Uint8Array | undefined, StorageFailed>
    /**
     * Returns at most `length` of a document's bytes from `offset` on, at least one if there is one; undefined if its
     * owner has none. For reading a file piece by piece.
     */
    readSome(
      input: DocumentKey & { readonly offset: number; readonly length: number }
    ): Effect.Effect<Uint8Array | undefined, StorageFailed>
    /**
     * Moves the bytes of at most `limit` documents to the object store, except those that a process works on, and
     * removes at most `limit` that are no longer needed. Returns both numbers: less than `limit` if little is left. A
     * store that keeps bytes in one place moves nothing. Several processes may call it at once.
     */
    move(input: { readonly limit: number }): Effect.Effect<FilesMoved, StorageFailed>
  }
>()("@parley/core/documents/FileStore") {}

/** Objects by their keys, as S3 and its like keep them. An object is written once and never changed. */
export interface Objects {
  /** Writes an object. Writing the same bytes again changes nothing. */
  put(key: string, bytes: Uint8Array): Effect.Effect<void, StorageFailed>
  /** Returns an object's bytes; undefined if there is none. */
  read(key: string): Effect.Effect<Uint8Array | undefined, StorageFailed>
  /** Returns at most `length` bytes from `offset` on, which is within the object; undefined if there is none. */
  readSome(key: string, offset: number, length: number): Effect.Effect<Uint8Array | undefined, StorageFailed>
  /** Removes an object; one that is not there is removed already. */
  remove(key: string): Effect.Effect<void, StorageFailed>
}

/** The store of documents' bytes outside the database; none unless given. */
export class ObjectStore extends Context.Reference<Objects | undefined>("@parley/core/documents/ObjectStore", {
  defaultValue: () => undefined
}) {}
