/** The databases on which stories of payments are played. */
import { billingModelTest } from "@parley/core/testing"
import { Layer } from "effect"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

/** `PARLEY_TEST_SEED` and `PARLEY_TEST_PATH`, as a failing run prints them, play its stories again. */
const { PARLEY_TEST_SEED: seed, PARLEY_TEST_PATH: path } = process.env

/** Stories keep the time themselves. */
const stores = Layer.mergeAll(PgBillingStoreLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer).pipe(
  Layer.provide(Layer.succeed(LedgerClock, "caller"))
)

/** Plays random stories on a database of each kind. */
export const storiesOnDatabases = (stories: number): void => {
  for (const { name, layer } of databases) {
    billingModelTest(name, stores.pipe(Layer.provide(layer)), {
      stories,
      seed: seed === undefined ? undefined : Number(seed),
      path
    })
  }
}
