import { botReportsContract, handoversContract } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgBotReportsLayer } from "../../src/chat/PgBotReports.ts"
import { PgHandoversLayer } from "../../src/chat/PgHandovers.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { PgOutboxLayer } from "../../src/events/PgOutbox.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

const stores = Layer.mergeAll(PgChatStoreLayer, PgBotReportsLayer, PgHandoversLayer, PgCreditLedgerLayer, PgOutboxLayer)

for (const { name, layer } of databases) {
  botReportsContract(name, Layer.provideMerge(stores, builtOnce(layer)))
  handoversContract(name, Layer.provideMerge(stores, builtOnce(layer)), ({ chatId }, ms) =>
    Effect.flatMap(Effect.serviceOption(Database), (found) =>
      found._tag === "None"
        ? Effect.void
        : Effect.asVoid(
            found.value.statement(
              `UPDATE ${found.value.schema}.handovers SET seen_at = seen_at - $2::float8 * interval '1 millisecond'
               WHERE chat_id = $1`,
              [chatId, ms]
            )
          )
    )
  )
}
