import { billingStoreContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgBillingStoreLayer } from "../../src/billing/PgBillingStore.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { PgPersonalDataLayer } from "../../src/users/PgPersonalData.ts"
import { databases } from "../databases.ts"

const stores = Layer.mergeAll(PgBillingStoreLayer, PgUnitOfWorkLayer, PgPersonalDataLayer)

for (const { name, layer } of databases) billingStoreContract(name, stores.pipe(Layer.provide(layer)))
