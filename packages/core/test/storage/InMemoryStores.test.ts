import { Effect, Layer } from "effect"
import { InMemoryBotStore } from "../../src/bots/InMemoryBotStore.ts"
import { InMemoryChats, keyOf } from "../../src/chat/store/InMemoryChats.ts"
import { InMemoryChatStore } from "../../src/chat/store/InMemoryChatStore.ts"
import { InMemoryDocumentStore } from "../../src/documents/storing/InMemoryDocumentStore.ts"
import { InMemoryFileStore } from "../../src/documents/storing/InMemoryFileStore.ts"
import { InMemoryJobQueue } from "../../src/jobs/InMemoryJobQueue.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryStorage.ts"
import { botStoreContract } from "../../src/testing/bots/botStoreContract.ts"
import { chatStoreContract } from "../../src/testing/chat/chatStoreContract.ts"
import { documentStoreContract } from "../../src/testing/documents/documentStoreContract.ts"
import { InMemorySpendLimiter } from "../../src/limits/InMemorySpendLimiter.ts"
import { InMemoryCallLimiter } from "../../src/limits/InMemoryCallLimiter.ts"
import { spendLimiterContract } from "../../src/testing/limits/spendLimiterContract.ts"
import { callLimiterContract } from "../../src/testing/limits/callLimiterContract.ts"
import { InMemoryRateLimiter } from "../../src/limits/InMemoryRateLimiter.ts"
import { rateLimiterContract } from "../../src/testing/limits/rateLimiterContract.ts"
import { fileStoreContract } from "../../src/testing/documents/fileStoreContract.ts"
import { hastyJobQueueContract, jobQueueContract } from "../../src/testing/jobs/jobQueueContract.ts"
import { InMemoryTaskRuns } from "../../src/background/InMemoryTaskRuns.ts"
import { taskRunsContract } from "../../src/testing/background/taskRunsContract.ts"
import { workerRegistryContract } from "../../src/testing/jobs/workerRegistryContract.ts"
import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { InMemoryRunningReplies } from "../../src/chat/reply/InMemoryRunningReplies.ts"
import { InMemorySharedChats } from "../../src/chat/sharing/InMemorySharedChats.ts"
import { InMemoryOutbox } from "../../src/events/InMemoryOutbox.ts"
import { InMemoryPreferenceStore } from "../../src/preferences/InMemoryPreferenceStore.ts"
import { InMemoryImageStore } from "../../src/chat/images/InMemoryImageStore.ts"
import { InMemoryProjectStore } from "../../src/chat/projects/InMemoryProjectStore.ts"
import { imageStoreContract } from "../../src/testing/chat/images/imageStoreContract.ts"
import { projectStoreContract } from "../../src/testing/chat/projects/projectStoreContract.ts"
import { sharedChatsContract } from "../../src/testing/chat/sharedChatsContract.ts"
import { preferenceStoreContract } from "../../src/testing/preferences/preferenceStoreContract.ts"
import { runningRepliesContract } from "../../src/testing/chat/runningRepliesContract.ts"
import { unitOfWorkContract } from "../../src/testing/storage/unitOfWorkContract.ts"

const files = Layer.merge(InMemoryDocumentStore.layer, InMemoryFileStore.layer)

botStoreContract(
  "in memory",
  Layer.mergeAll(InMemoryBotStore.layer, InMemoryDocumentStore.layer, InMemoryUnitOfWork.layer)
)
const chats = Layer.mergeAll(InMemoryChatStore.layer, InMemoryCreditLedger.layer, InMemoryRunningReplies.layer)
chatStoreContract("in memory", Layer.merge(chats, InMemoryChats.layer), ({ chatId, owner }, ms) =>
  InMemoryChats.use(({ chats }) =>
    Effect.sync(() => {
      const key = keyOf(owner, chatId)
      const stored = chats.get(key)
      if (stored === undefined) return
      chats.set(key, { ...stored, chat: { ...stored.chat, updatedAt: stored.chat.updatedAt - ms } })
    })
  )
)
runningRepliesContract("in memory", chats)
sharedChatsContract("in memory", Layer.mergeAll(chats, InMemorySharedChats.layer, InMemoryOutbox.layer))
imageStoreContract("in memory", Layer.merge(InMemoryChatStore.layer, InMemoryImageStore.layer))
projectStoreContract("in memory", Layer.merge(InMemoryChatStore.layer, InMemoryProjectStore.layer))
preferenceStoreContract("in memory", InMemoryPreferenceStore.layer)
documentStoreContract("in memory", InMemoryDocumentStore.layer)
fileStoreContract("in memory", files)
callLimiterContract("in memory", InMemoryCallLimiter.layer)
spendLimiterContract("in memory", InMemorySpendLimiter.layer)
rateLimiterContract("in memory", InMemoryRateLimiter.layer)
unitOfWorkContract("in memory", Layer.mergeAll(files, InMemoryChatStore.layer, InMemoryUnitOfWork.layer))
jobQueueContract("in memory", Layer.merge(InMemoryJobQueue.layer, InMemoryUnitOfWork.layer))
workerRegistryContract("in memory", InMemoryJobQueue.layer)
taskRunsContract("in memory", InMemoryTaskRuns.layer)
hastyJobQueueContract("in memory", InMemoryJobQueue.layerWith({ stopTimeoutMs: 100 }))
