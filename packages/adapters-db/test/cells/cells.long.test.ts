/** The contracts of all stores over one cell, and over four on four servers. */
import {
  accessStoreContract,
  auditLogContract,
  billingStoreContract,
  billingUpkeepContract,
  botReportsContract,
  botStoreContract,
  callLimiterContract,
  chatStoreContract,
  conversationFilesContract,
  creditLedgerContract,
  crmConnectionStoreContract,
  documentStoreContract,
  fileStoreContract,
  handoversContract,
  imageStoreContract,
  jobQueueContract,
  moneyRecordsContract,
  oauthStateStoreContract,
  outboxContract,
  passageIndexContract,
  personalDataContract,
  preferenceStoreContract,
  projectStoreContract,
  rateLimiterContract,
  reindexStoreContract,
  revokedSessionsContract,
  runningRepliesContract,
  serviceKeyStoreContract,
  sharedChatsContract,
  signInStoreContract,
  spendLimiterContract,
  taskRunsContract,
  unitOfWorkContract,
  userExportContract,
  workerRegistryContract
} from "@parley/core/testing"
import { Effect } from "effect"
import { describe } from "vitest"
import { builtOnce } from "../builtOnce.ts"
import { databases, hasPostgres } from "../databases.ts"
import { skipWhatCannotHold } from "./cannotHold.ts"
import { ownServers } from "./ownServers.ts"
import { CellDatabases, inEachCell, routedOver } from "./routedStores.ts"

const AGE = "updated_at = updated_at - $2::float8 * interval '1 millisecond'"

const contracts = (name: string, cells: Parameters<typeof routedOver>[0]) => {
  const layer = builtOnce(routedOver(cells))
  accessStoreContract(name, layer)
  auditLogContract(name, layer, (at, { action, by, details, reason, userId }) =>
    CellDatabases.use(({ databases: [global] }) =>
      Effect.asVoid(
        global === undefined
          ? Effect.void
          : global.statement(
              `INSERT INTO ${global.schema}.audit_log (at, action, operator, subject, reason, details)
               VALUES (to_timestamp($1::float8 / 1000), $2, $3, $4, $5, $6)`,
              [at, action, by, userId ?? null, reason ?? null, details]
            )
      )
    )
  )
  billingStoreContract(name, layer)
  billingUpkeepContract(name, routedOver(cells))
  botReportsContract(name, layer)
  botStoreContract(name, layer)
  callLimiterContract(name, layer)
  chatStoreContract(name, layer, ({ chatId }, ms) =>
    inEachCell(`UPDATE {{schema}}.chats SET ${AGE} WHERE id = $1`, [chatId, ms])
  )
  conversationFilesContract(name, layer)
  creditLedgerContract(name, layer)
  crmConnectionStoreContract(name, layer)
  documentStoreContract(name, layer)
  fileStoreContract(name, layer)
  handoversContract(name, layer, ({ chatId }, ms) =>
    Effect.flatMap(Effect.serviceOption(CellDatabases), (found) =>
      found._tag === "None"
        ? Effect.void
        : Effect.provideService(
            inEachCell(
              "UPDATE {{schema}}.handovers SET seen_at = seen_at - $2::float8 * interval '1 millisecond' WHERE chat_id = $1",
              [chatId, ms]
            ),
            CellDatabases,
            found.value
          )
    )
  )
  imageStoreContract(name, layer)
  jobQueueContract(name, layer)
  moneyRecordsContract(name, routedOver(cells))
  oauthStateStoreContract(name, layer)
  outboxContract(name, layer)
  passageIndexContract(name, layer)
  personalDataContract(name, routedOver(cells))
  preferenceStoreContract(name, layer)
  projectStoreContract(name, layer)
  rateLimiterContract(name, layer)
  reindexStoreContract(name, layer)
  revokedSessionsContract(name, layer)
  runningRepliesContract(name, layer)
  serviceKeyStoreContract(name, layer)
  sharedChatsContract(name, layer)
  signInStoreContract(name, layer)
  spendLimiterContract(name, layer)
  taskRunsContract(name, layer)
  unitOfWorkContract(name, layer)
  userExportContract(name, routedOver(cells))
  workerRegistryContract(name, routedOver(cells))
}

for (const { layer, name } of databases.slice(-1)) {
  describe("one cell", () => contracts(`${name}, one cell`, [layer]))
}

describe.runIf(hasPostgres)("four cells on four servers", () => {
  skipWhatCannotHold()
  contracts("Postgres, four cells", ownServers(4))
})
