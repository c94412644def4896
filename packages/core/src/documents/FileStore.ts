import { Context, type Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { DocumentKey } from "./Document.ts"

/** The uploaded bytes of documents. */
export class FileStore extends Context.Service<
  FileStore,
  {
    /** Writes a document's bytes, replacing what was there. The document must have been inserted. */
    write(input: DocumentKey & { readonly bytes: Uint8Array }): Effect.Effect<void, StorageFailed>
    /** A document's bytes; undefined where its owner has none. */
    read(document: DocumentKey): Effect.Effect<Uint8Array | undefined, StorageFailed>
  }
>()("@parley/core/documents/FileStore") {}
