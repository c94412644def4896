import { Effect, Layer } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database, type Row } from "../../src/database/Database.ts"

/** The ledger of one process on the database of its context, and how many statements it has sent on its own. */
export const countedLedger = Effect.map(Database, (database) => {
  let sent = 0
  const counting: Database["Service"] = {
    ...database,
    statement: <R extends Row>(text: string, params?: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        sent += 1
        return database.statement<R>(text, params)
      })
  }
  return { layer: Layer.provide(PgCreditLedgerLayer, Layer.succeed(Database, counting)), sent: () => sent }
})
