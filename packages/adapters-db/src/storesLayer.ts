import { storageLayer } from "@parley/core/adapter"
import { PgChatStoreLayer } from "./chat/PgChatStore.ts"
import { PgCreditLedgerLayer } from "./credits/PgCreditLedger.ts"
import { PgDocumentStoreLayer } from "./documents/PgDocumentStore.ts"
import { PgFileStoreLayer } from "./documents/PgFileStore.ts"
import { PgPassageIndexLayer } from "./documents/PgPassageIndex.ts"
import { PgBossJobQueueLayer } from "./jobs/PgBossJobQueue.ts"
import { PgRateLimiterLayer } from "./limits/PgRateLimiter.ts"
import type { JobQueueOptions } from "./jobs/startBoss.ts"
import { PgUnitOfWorkLayer } from "./storage/PgUnitOfWork.ts"
import { PgPersonalDataLayer } from "./users/PgPersonalData.ts"

/** Every storage port of the core on a database, over a database layer. */
export const storesLayer = (jobs: JobQueueOptions = {}) =>
  storageLayer({
    ledger: PgCreditLedgerLayer,
    chats: PgChatStoreLayer,
    documents: PgDocumentStoreLayer,
    files: PgFileStoreLayer,
    passages: PgPassageIndexLayer,
    jobs: PgBossJobQueueLayer(jobs),
    personalData: PgPersonalDataLayer,
    rateLimiter: PgRateLimiterLayer,
    unitOfWork: PgUnitOfWorkLayer
  })
