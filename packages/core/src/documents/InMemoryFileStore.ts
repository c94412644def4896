import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { FileStore } from "./FileStore.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const files = yield* storage.table<string, Uint8Array>()
  yield* storage.onDocumentRemoved((documentId) => void files.delete(documentId))
  return FileStore.of({
    write: ({ documentId, bytes }) =>
      storage.exclusive(Effect.sync(() => void files.set(documentId.toLowerCase(), bytes.slice()))),
    read: (documentId) => storage.exclusive(Effect.sync(() => files.get(documentId.toLowerCase())?.slice()))
  })
})

/** Uploaded bytes in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryFileStore = {
  layer: Layer.effect(FileStore, make).pipe(Layer.provide(InMemoryStorage.layer))
}
