import { conversationFilesContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgConversationFilesLayer } from "../../src/chat/PgConversationFiles.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

const stores = Layer.mergeAll(PgChatStoreLayer, PgConversationFilesLayer, PgDocumentStoreLayer, PgUnitOfWorkLayer)

for (const { name, layer } of databases) conversationFilesContract(name, Layer.provideMerge(stores, builtOnce(layer)))
