import { InMemoryDocumentStore, InMemoryPassageIndex, PassageEmbedder } from "@parley/core/adapter"
import { passageIndexContract, passageMeaningContract } from "@parley/core/testing"
import { Layer } from "effect"

const stores = InMemoryPassageIndex.layer.pipe(Layer.provideMerge(InMemoryDocumentStore.layer))

passageIndexContract("in memory", stores)
passageMeaningContract("in memory", (embedder) => Layer.provide(stores, Layer.succeed(PassageEmbedder, embedder)))
