import { InMemoryDocumentStore, InMemoryPassageIndex, PassageEmbedder } from "@parley/core/adapter"
import { InMemoryReindexStore } from "../../src/documents/indexing/reindexing/InMemoryReindexStore.ts"
import { passageIndexContract, passageMeaningContract, reindexStoreContract } from "@parley/core/testing"
import { Layer } from "effect"

const stores = InMemoryPassageIndex.layer.pipe(Layer.provideMerge(InMemoryDocumentStore.layer))

passageIndexContract("in memory", stores)
passageMeaningContract("in memory", (embedder) =>
  Layer.provide(Layer.fresh(stores), Layer.succeed(PassageEmbedder, embedder))
)
reindexStoreContract("in memory", Layer.merge(stores, Layer.provide(InMemoryReindexStore.layer, stores)))
