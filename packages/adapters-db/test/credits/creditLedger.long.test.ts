import { creditLedgerContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { databases } from "../databases.ts"

for (const { name, layer } of databases) creditLedgerContract(name, PgCreditLedgerLayer.pipe(Layer.provide(layer)), 200)
