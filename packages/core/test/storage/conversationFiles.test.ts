import { Layer } from "effect"
import { InMemoryChatStore } from "../../src/chat/store/InMemoryChatStore.ts"
import { InMemoryConversationFiles } from "../../src/chat/store/InMemoryConversationFiles.ts"
import { InMemoryDocumentStore } from "../../src/documents/storing/InMemoryDocumentStore.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryStorage.ts"
import { conversationFilesContract } from "../../src/testing/widget/conversationFilesContract.ts"

conversationFilesContract(
  "in memory",
  Layer.mergeAll(
    InMemoryChatStore.layer,
    InMemoryConversationFiles.layer,
    InMemoryDocumentStore.layer,
    InMemoryUnitOfWork.layer
  )
)
