import { Layer } from "effect"
import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { InMemoryDocumentStore } from "../../src/documents/storing/InMemoryDocumentStore.ts"
import { InMemoryOutbox } from "../../src/events/InMemoryOutbox.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryStorage.ts"
import { outboxContract } from "../../src/testing/events/outboxContract.ts"

outboxContract(
  "memory",
  Layer.mergeAll(
    InMemoryOutbox.layer,
    InMemoryCreditLedger.layer,
    InMemoryDocumentStore.layer,
    InMemoryUnitOfWork.layer
  )
)
