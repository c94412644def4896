import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { DocumentKey } from "../Document.ts"

/** What moving files did. */
export interface FilesMoved {
  readonly moved: number
  readonly removed: number
}

export const NOTHING_MOVED: FilesMoved = { moved: 0, removed: 0 }

/** The uploaded bytes of documents. */
export class FileStore extends Context.Service<
  FileStore,
  {
    /** Writes a document's bytes, replacing what was there. The document must have been inserted. */
    write(input: DocumentKey & { readonly bytes: Uint8Array }): Effect.Effect<void, StorageFailed>
    /** A document's bytes; undefined where its owner has none. */
    read(document: DocumentKey): Effect.Effect<Uint8Array | undefined, StorageFailed>
    /**
     * Some of a document's bytes from `offset` on, at least one where there is one and at most `length`; undefined where
     * its owner has none. For reading a file piece by piece.
     */
    readSome(
      input: DocumentKey & { readonly offset: number; readonly length: number }
    ): Effect.Effect<Uint8Array | undefined, StorageFailed>
    /**
     * Moves the bytes of at most `limit` documents to where they rest, those that no process works on, and removes at most
     * `limit` that are not needed any more. Gives how many of both there were: less than `limit` where little is left. A
     * store that keeps bytes in one place has nothing to move. Any number of processes may do so at once.
     */
    move(input: { readonly limit: number }): Effect.Effect<FilesMoved, StorageFailed>
  }
>()("@parley/core/documents/FileStore") {}
