import { Effect, Layer } from "effect"
import { type Embedder, PassageEmbedder } from "../documents/embedding/Embedder.ts"
import { inMemoryStorageLayer, type StoragePorts, storagePortsFromContext } from "../StoragePorts.ts"

export interface OpenInMemoryOptions {
  /** Who embeds passages and questions, so that documents are searched for meaning beside words; nobody unless given. */
  readonly embedder?: Embedder["Service"] | undefined
}

/** Every store in the memory of this process, for tests and trials: what is in them ends with the process. */
export const openInMemory = ({ embedder }: OpenInMemoryOptions = {}): Promise<StoragePorts> =>
  Effect.runPromise(
    Effect.provide(
      storagePortsFromContext,
      Layer.provide(inMemoryStorageLayer, Layer.succeed(PassageEmbedder, embedder))
    )
  )
