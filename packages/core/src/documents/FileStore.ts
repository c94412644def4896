import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** The uploaded bytes of documents. */
export class FileStore extends Context.Service<
  FileStore,
  {
    /** Writes a document's bytes, replacing what was there. The document must have been inserted. */
    write(input: {
      readonly userId: UserId
      readonly documentId: string
      readonly bytes: Uint8Array
    }): Effect.Effect<void, StorageFailed>
    /** A document's bytes; undefined where there are none. */
    read(documentId: string): Effect.Effect<Uint8Array | undefined, StorageFailed>
  }
>()("@parley/core/documents/FileStore") {}
