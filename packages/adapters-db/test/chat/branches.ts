import { chatTreeProperty, CHAT_TREE_CATALOG, neutralProvider } from "@parley/core/testing"
import { Catalog, inMemoryStorageLayer, noCrmLayer, parleyLayer } from "@parley/core/effect"
import { ChatModels, DocumentParser, paymentProviderLayer } from "@parley/core/adapter"
import { makeCatalog } from "@parley/core"
import { Effect, Layer } from "effect"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgRunningRepliesLayer } from "../../src/chat/PgRunningReplies.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { databases } from "../databases.ts"

/** The branches of chats on a database of each kind, in this number of random histories. */
export const branchesOnDatabases = (histories: number): void => {
  for (const { name, layer: database } of databases) {
    chatTreeProperty(
      name,
      (models) =>
        parleyLayer.pipe(
          Layer.provideMerge(
            Layer.mergeAll(
              PgCreditLedgerLayer,
              PgChatStoreLayer,
              PgRunningRepliesLayer,
              paymentProviderLayer(neutralProvider()),
              noCrmLayer,
              Layer.succeed(Catalog, makeCatalog(CHAT_TREE_CATALOG)),
              Layer.succeed(ChatModels, models),
              Layer.succeed(DocumentParser, DocumentParser.of({ parse: () => Effect.never }))
            )
          ),
          Layer.provideMerge(inMemoryStorageLayer),
          Layer.provideMerge(database)
        ),
      histories
    )
  }
}
