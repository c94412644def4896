import { InMemoryDocumentStore, InMemoryPassageIndex } from "@parley/core/adapter"
import { passageIndexContract } from "@parley/core/testing"
import { Layer } from "effect"

passageIndexContract("in memory", InMemoryPassageIndex.layer.pipe(Layer.provideMerge(InMemoryDocumentStore.layer)))
