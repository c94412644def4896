import { outboxContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgOutboxLayer } from "../../src/events/PgOutbox.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

const stores = Layer.mergeAll(PgCreditLedgerLayer, PgDocumentStoreLayer, PgOutboxLayer, PgUnitOfWorkLayer)

for (const { name, layer } of databases) outboxContract(name, stores.pipe(Layer.provide(builtOnce(layer))))
