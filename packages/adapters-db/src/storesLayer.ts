import { storageLayer } from "@parley/core/effect"
import { PgAuditLogLayer } from "./audit/PgAuditLog.ts"
import { PgTaskRunsLayer } from "./background/PgTaskRuns.ts"
import { PgBillingStoreLayer } from "./billing/PgBillingStore.ts"
import { PgBillingUpkeepLayer } from "./billing/PgBillingUpkeep.ts"
import { PgBotStoreLayer } from "./bots/PgBotStore.ts"
import { PgChatStoreLayer } from "./chat/PgChatStore.ts"
import { PgRunningRepliesLayer } from "./chat/PgRunningReplies.ts"
import { PgSharedChatsLayer } from "./chat/PgSharedChats.ts"
import { PgCrmConnectionStoreLayer } from "./crm/PgCrmConnectionStore.ts"
import { PgOAuthStateStoreLayer } from "./crm/PgOAuthStateStore.ts"
import { PgBotReportsLayer } from "./chat/PgBotReports.ts"
import { PgConversationFilesLayer } from "./chat/PgConversationFiles.ts"
import { PgHandoversLayer } from "./chat/PgHandovers.ts"
import { PgCreditLedgerLayer } from "./credits/PgCreditLedger.ts"
import { PgDocumentStoreLayer } from "./documents/storing/PgDocumentStore.ts"
import { PgFileStoreLayer } from "./documents/storing/PgFileStore.ts"
import { PgPassageIndexLayer } from "./documents/indexing/PgPassageIndex.ts"
import { PgReindexStoreLayer } from "./documents/indexing/PgReindexStore.ts"
import { PgOutboxLayer } from "./events/PgOutbox.ts"
import { PgBossJobQueueLayer } from "./jobs/PgBossJobQueue.ts"
import { PgImageStoreLayer } from "./chat/PgImageStore.ts"
import { PgProjectStoreLayer } from "./chat/PgProjectStore.ts"
import { PgPreferenceStoreLayer } from "./preferences/PgPreferenceStore.ts"
import { PgServiceKeyStoreLayer } from "./keys/PgServiceKeyStore.ts"
import { PgCallLimiterLayer } from "./limits/PgCallLimiter.ts"
import { PgRateLimiterLayer } from "./limits/PgRateLimiter.ts"
import { PgSpendLimiterLayer } from "./limits/PgSpendLimiter.ts"
import type { JobQueueOptions } from "./jobs/JobQueueOptions.ts"
import { PgAccessStoreLayer, PgRevokedSessionsLayer } from "./sessions/PgAccessStore.ts"
import { PgSignInStoreLayer } from "./signin/PgSignInStore.ts"
import { PgUnitOfWorkLayer } from "./storage/PgUnitOfWork.ts"
import { PgMoneyRecordsLayer } from "./users/PgMoneyRecords.ts"
import { PgPersonalDataLayer } from "./users/PgPersonalData.ts"

/** All storage ports of the core, implemented on the database of a database layer. */
export const storesLayer = (jobs: JobQueueOptions = {}) => {
  const jobsLayer = PgBossJobQueueLayer(jobs)
  return storageLayer({
    audit: PgAuditLogLayer,
    billing: PgBillingStoreLayer,
    paymentEvents: PgBillingStoreLayer,
    billingUpkeep: PgBillingUpkeepLayer,
    bots: PgBotStoreLayer,
    publishedBots: PgBotStoreLayer,
    ledger: PgCreditLedgerLayer,
    creditRecords: PgCreditLedgerLayer,
    creditUpkeep: PgCreditLedgerLayer,
    chats: PgChatStoreLayer,
    chatRecords: PgChatStoreLayer,
    sharedChats: PgSharedChatsLayer,
    images: PgImageStoreLayer,
    projects: PgProjectStoreLayer,
    preferences: PgPreferenceStoreLayer,
    botReports: PgBotReportsLayer,
    conversationFiles: PgConversationFilesLayer,
    handovers: PgHandoversLayer,
    runningReplies: PgRunningRepliesLayer,
    crmConnections: PgCrmConnectionStoreLayer,
    sealedConnections: PgCrmConnectionStoreLayer,
    oauthStates: PgOAuthStateStoreLayer,
    documents: PgDocumentStoreLayer,
    files: PgFileStoreLayer,
    passages: PgPassageIndexLayer,
    passageWriter: PgPassageIndexLayer,
    reindexing: PgReindexStoreLayer,
    reindexRecords: PgReindexStoreLayer,
    jobs: jobsLayer,
    workers: jobsLayer,
    taskRuns: PgTaskRunsLayer,
    outbox: PgOutboxLayer,
    deliveryRecords: PgOutboxLayer,
    moneyRecords: PgMoneyRecordsLayer,
    personalData: PgPersonalDataLayer,
    callLimiter: PgCallLimiterLayer,
    access: PgAccessStoreLayer,
    serviceKeys: PgServiceKeyStoreLayer,
    revokedSessions: PgRevokedSessionsLayer,
    signIns: PgSignInStoreLayer,
    rateLimiter: PgRateLimiterLayer,
    spendLimiter: PgSpendLimiterLayer,
    unitOfWork: PgUnitOfWorkLayer
  })
}
