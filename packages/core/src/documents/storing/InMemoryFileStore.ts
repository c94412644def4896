import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { FileStore, NOTHING_MOVED } from "./FileStore.ts"
import { keyInMemory } from "./InMemoryDocumentStore.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const files = yield* storage.table<string, Uint8Array>()
  yield* storage.onDocumentRemoved((document) => void files.delete(keyInMemory(document)))
  return FileStore.of({
    write: ({ bytes, ...document }) =>
      storage.exclusive(Effect.sync(() => void files.set(keyInMemory(document), bytes.slice()))),
    read: (document) => storage.exclusive(Effect.sync(() => files.get(keyInMemory(document))?.slice())),
    readSome: ({ offset, length, ...document }) =>
      storage.exclusive(Effect.sync(() => files.get(keyInMemory(document))?.slice(offset, offset + length))),
    move: () => Effect.succeed(NOTHING_MOVED)
  })
})

/** Uploaded bytes in the memory of one process: for tests, and for trying Parley out without a database. */
export const InMemoryFileStore = {
  layer: Layer.effect(FileStore, make).pipe(Layer.provide(InMemoryStorage.layer))
}
