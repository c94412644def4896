import { Effect, Layer } from "effect"
import { type Embedder, PassageEmbedder } from "../documents/embedding/Embedder.ts"
import { inMemoryStorageLayer, type StoragePorts, storagePortsFromContext } from "../StoragePorts.ts"

export interface OpenInMemoryOptions {
  /** Embeds passages and questions, so that documents are also searched by meaning; none unless given. */
  readonly embedder?: Embedder["Service"] | undefined
}

/**
 * All stores in the memory of this process, for tests and for trying Parley out: their content is lost when the process
 * ends.
 */
export const openInMemory = ({ embedder }: OpenInMemoryOptions = {}): Promise<StoragePorts> =>
  Effect.runPromise(
    Effect.provide(
      storagePortsFromContext,
      Layer.provide(inMemoryStorageLayer, Layer.succeed(PassageEmbedder, embedder))
    )
  )
