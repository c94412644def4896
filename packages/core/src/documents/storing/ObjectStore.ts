import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

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

/** Where the bytes of documents rest, if anywhere but in the database. Nowhere else unless given. */
export class ObjectStore extends Context.Reference<Objects | undefined>("@parley/core/documents/ObjectStore", {
  defaultValue: () => undefined
}) {}
