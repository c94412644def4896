import {
  auditLogContract,
  botStoreContract,
  callLimiterContract,
  spendLimiterContract,
  chatStoreContract,
  crmConnectionStoreContract,
  documentStoreContract,
  fileStoreContract,
  oauthStateStoreContract,
  rateLimiterContract,
  reindexStoreContract,
  accessStoreContract,
  revokedSessionsContract,
  serviceKeyStoreContract,
  runningRepliesContract,
  signInStoreContract,
  imageStoreContract,
  projectStoreContract,
  sharedChatsContract,
  preferenceStoreContract,
  unitOfWorkContract
} from "@parley/core/testing"
import type { AuditEntry } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { PgAuditLogLayer } from "../src/audit/PgAuditLog.ts"
import { Database } from "../src/database/Database.ts"
import { PgPersonalDataLayer } from "../src/users/PgPersonalData.ts"
import { PgBotStoreLayer } from "../src/bots/PgBotStore.ts"
import { PgChatStoreLayer } from "../src/chat/PgChatStore.ts"
import { PgRunningRepliesLayer } from "../src/chat/PgRunningReplies.ts"
import { PgCrmConnectionStoreLayer } from "../src/crm/PgCrmConnectionStore.ts"
import { PgOAuthStateStoreLayer } from "../src/crm/PgOAuthStateStore.ts"
import { PgCreditLedgerLayer } from "../src/credits/PgCreditLedger.ts"
import { PgDocumentStoreLayer } from "../src/documents/storing/PgDocumentStore.ts"
import { PgFileStoreLayer } from "../src/documents/storing/PgFileStore.ts"
import { PgPassageIndexLayer } from "../src/documents/indexing/PgPassageIndex.ts"
import { PgReindexStoreLayer } from "../src/documents/indexing/PgReindexStore.ts"
import { PgImageStoreLayer } from "../src/chat/PgImageStore.ts"
import { PgProjectStoreLayer } from "../src/chat/PgProjectStore.ts"
import { PgSharedChatsLayer } from "../src/chat/PgSharedChats.ts"
import { PgOutboxLayer } from "../src/events/PgOutbox.ts"
import { PgPreferenceStoreLayer } from "../src/preferences/PgPreferenceStore.ts"
import { PgServiceKeyStoreLayer } from "../src/keys/PgServiceKeyStore.ts"
import { PgCallLimiterLayer } from "../src/limits/PgCallLimiter.ts"
import { PgSpendLimiterLayer } from "../src/limits/PgSpendLimiter.ts"
import { PgRateLimiterLayer } from "../src/limits/PgRateLimiter.ts"
import { PgAccessStoreLayer, PgRevokedSessionsLayer } from "../src/sessions/PgAccessStore.ts"
import { PgSignInStoreLayer } from "../src/signin/PgSignInStore.ts"
import { PgUnitOfWorkLayer } from "../src/storage/PgUnitOfWork.ts"
import { builtOnce } from "./builtOnce.ts"
import { ageChat } from "./chat/ageChat.ts"
import { databases } from "./databases.ts"

const stores = Layer.mergeAll(
  PgAuditLogLayer,
  PgPersonalDataLayer,
  PgBotStoreLayer,
  PgChatStoreLayer,
  PgCrmConnectionStoreLayer,
  PgOAuthStateStoreLayer,
  PgDocumentStoreLayer,
  PgFileStoreLayer,
  PgPassageIndexLayer,
  PgReindexStoreLayer,
  PgCallLimiterLayer,
  PgSpendLimiterLayer,
  PgRateLimiterLayer,
  PgAccessStoreLayer,
  PgRevokedSessionsLayer,
  PgServiceKeyStoreLayer,
  PgSignInStoreLayer,
  PgCreditLedgerLayer,
  PgRunningRepliesLayer,
  PgImageStoreLayer,
  PgProjectStoreLayer,
  PgSharedChatsLayer,
  PgPreferenceStoreLayer,
  PgOutboxLayer,
  PgUnitOfWorkLayer
)

/** An entry of the audit log as it was recorded at a time. */
const recordAt = (at: number, { action, by, details, reason, userId }: AuditEntry) =>
  Database.use(({ schema, statement }) =>
    Effect.asVoid(
      statement(
        `INSERT INTO ${schema}.audit_log (at, action, operator, subject, reason, details)
         VALUES (to_timestamp($1::float8 / 1000), $2, $3, $4, $5, $6)`,
        [at, action, by, userId ?? null, reason ?? null, details]
      )
    )
  )

for (const { name, layer } of databases) {
  const onDatabase = stores.pipe(Layer.provideMerge(builtOnce(layer)))
  auditLogContract(name, onDatabase, recordAt)
  botStoreContract(name, onDatabase)
  crmConnectionStoreContract(name, onDatabase)
  oauthStateStoreContract(name, onDatabase)
  reindexStoreContract(name, onDatabase)
  callLimiterContract(name, onDatabase)
  spendLimiterContract(name, onDatabase)
  rateLimiterContract(name, onDatabase)
  accessStoreContract(name, onDatabase)
  revokedSessionsContract(name, onDatabase)
  serviceKeyStoreContract(name, onDatabase)
  signInStoreContract(name, onDatabase)
  sharedChatsContract(name, onDatabase)
  imageStoreContract(name, onDatabase)
  projectStoreContract(name, onDatabase)
  preferenceStoreContract(name, onDatabase)
  // `deployments.test.ts` runs these on Postgres.
  if (name === "Postgres") continue
  chatStoreContract(name, onDatabase, ageChat)
  documentStoreContract(name, onDatabase)
  fileStoreContract(name, onDatabase)
  runningRepliesContract(name, onDatabase)
  unitOfWorkContract(name, onDatabase)
}
