import { inMemoryStorageLayer, Catalog, parleyLayer, noCrmLayer, noPayments } from "@parley/core/effect"
import { ChatModels, DocumentParser, paymentProviderLayer } from "@parley/core/adapter"
import { makeCatalog } from "@parley/core"
import { CHAT_TREE_CATALOG, chatTreeProperty } from "@parley/core/testing"
import { Layer } from "effect"
import { plainParser } from "./world.ts"

chatTreeProperty(
  "in memory",
  (models) =>
    parleyLayer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          paymentProviderLayer(noPayments),
          noCrmLayer,
          Layer.succeed(Catalog, makeCatalog(CHAT_TREE_CATALOG)),
          Layer.succeed(ChatModels, models),
          Layer.succeed(DocumentParser, plainParser),
          inMemoryStorageLayer
        )
      )
    ),
  40
)
