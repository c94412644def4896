import { Layer } from "effect"
import { PgChatStoreLayer } from "./chat/PgChatStore.ts"
import { PgCreditLedgerLayer } from "./credits/PgCreditLedger.ts"
import { PgDocumentStoreLayer } from "./documents/PgDocumentStore.ts"
import { PgFileStoreLayer } from "./documents/PgFileStore.ts"
import { PgPassageIndexLayer } from "./documents/PgPassageIndex.ts"
import { PgBossJobQueueLayer } from "./jobs/PgBossJobQueue.ts"
import { PgRateLimiterLayer } from "./limits/PgRateLimiter.ts"
import type { JobQueueOptions } from "./jobs/startBoss.ts"
import { PgUnitOfWorkLayer } from "./storage/PgUnitOfWork.ts"

/** Every port of the core that a database stands behind, over a database layer. */
export const storesLayer = (jobs: JobQueueOptions = {}) =>
  Layer.mergeAll(
    PgChatStoreLayer,
    PgCreditLedgerLayer,
    PgDocumentStoreLayer,
    PgFileStoreLayer,
    PgPassageIndexLayer,
    PgBossJobQueueLayer(jobs),
    PgRateLimiterLayer,
    PgUnitOfWorkLayer
  )
