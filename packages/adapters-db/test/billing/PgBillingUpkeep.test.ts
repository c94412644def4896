import { billingUpkeepContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { PgBillingUpkeepLayer } from "../../src/billing/PgBillingUpkeep.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

const stores = Layer.mergeAll(PgBillingStoreLayer, PgBillingUpkeepLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer)

for (const { name, layer } of databases) billingUpkeepContract(name, stores.pipe(Layer.provide(layer)))
