import { Layer } from "effect"
import { InMemoryChatStore } from "../../src/chat/InMemoryChatStore.ts"
import { InMemoryDocumentStore } from "../../src/documents/InMemoryDocumentStore.ts"
import { InMemoryFileStore } from "../../src/documents/InMemoryFileStore.ts"
import { InMemoryJobQueue } from "../../src/jobs/InMemoryJobQueue.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryUnitOfWork.ts"
import { chatStoreContract } from "../../src/testing/chat/chatStoreContract.ts"
import { documentStoreContract } from "../../src/testing/documents/documentStoreContract.ts"
import { InMemoryRateLimiter } from "../../src/limits/InMemoryRateLimiter.ts"
import { rateLimiterContract } from "../../src/testing/limits/rateLimiterContract.ts"
import { fileStoreContract } from "../../src/testing/documents/fileStoreContract.ts"
import { hastyJobQueueContract, jobQueueContract } from "../../src/testing/jobs/jobQueueContract.ts"
import { unitOfWorkContract } from "../../src/testing/storage/unitOfWorkContract.ts"

const files = Layer.merge(InMemoryDocumentStore.layer, InMemoryFileStore.layer)

chatStoreContract("in memory", InMemoryChatStore.layer)
documentStoreContract("in memory", InMemoryDocumentStore.layer)
fileStoreContract("in memory", files)
rateLimiterContract("in memory", InMemoryRateLimiter.layer)
unitOfWorkContract("in memory", Layer.mergeAll(files, InMemoryChatStore.layer, InMemoryUnitOfWork.layer))
jobQueueContract("in memory", Layer.merge(InMemoryJobQueue.layer, InMemoryUnitOfWork.layer))
hastyJobQueueContract("in memory", InMemoryJobQueue.layerWith({ stopTimeoutMs: 100 }))
