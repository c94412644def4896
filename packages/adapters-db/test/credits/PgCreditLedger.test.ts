/** On PGlite; `deployments.test.ts` has the ledger on Postgres. */
import { creditLedgerContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { embedded } from "../databases.ts"

for (const { name, layer } of embedded) creditLedgerContract(name, PgCreditLedgerLayer.pipe(Layer.provide(layer)))
