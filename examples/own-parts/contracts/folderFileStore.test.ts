import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DocumentStore, FileStore } from "@parley/core/adapter"
import { inMemoryStorageLayer } from "@parley/core/effect"
import { fileStoreContract } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { makeFolderFileStore } from "../src/folderFileStore.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "files-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)
const files = Layer.effect(FileStore, Effect.flatMap(folder, makeFolderFileStore))
const documents = Layer.effect(DocumentStore, DocumentStore).pipe(Layer.provide(inMemoryStorageLayer))

fileStoreContract("folder", Layer.provideMerge(files, documents))
