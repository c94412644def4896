import { Effect } from "effect"
import type { Objects } from "../../documents/storing/FileStore.ts"

/** Objects in memory, for tests; `kept` contains them. */
export const inMemoryObjects = (): Objects & { readonly kept: ReadonlyMap<string, Uint8Array> } => {
  const kept = new Map<string, Uint8Array>()
  return {
    kept,
    put: (key, bytes) => Effect.sync(() => void kept.set(key, bytes.slice())),
    read: (key) => Effect.sync(() => kept.get(key)?.slice()),
    readSome: (key, offset, length) => Effect.sync(() => kept.get(key)?.slice(offset, offset + length)),
    remove: (key) => Effect.sync(() => void kept.delete(key))
  }
}
