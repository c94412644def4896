import { creditLedgerModelTest, ledgerOf } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/PgDatabase.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { databases, freshPostgres, hasPostgres } from "../databases.ts"

const [pglite] = databases
if (pglite !== undefined) {
  const ledger = ledgerOf(PgCreditLedgerLayer.pipe(Layer.provide(pglite.layer)))
  creditLedgerModelTest(
    "PGlite",
    Effect.map(ledger, (one) => [one]),
    { histories: 100 }
  )
}

/** Ledgers of three processes on one database. */
const processes = Effect.gen(function* () {
  const url = yield* freshPostgres
  yield* Effect.scoped(Effect.provide(migrate(), PgDatabaseLayer({ url, maxConnections: 1 })))
  const layer = PgCreditLedgerLayer.pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 6 })))
  return yield* Effect.all([ledgerOf(Layer.fresh(layer)), ledgerOf(Layer.fresh(layer)), ledgerOf(Layer.fresh(layer))])
})

if (hasPostgres) creditLedgerModelTest("Postgres, three processes", processes, { histories: 200 })
