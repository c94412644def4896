import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { creditLedgerContract } from "../../src/testing/credits/creditLedgerContract.ts"

creditLedgerContract("in memory", InMemoryCreditLedger.layer)
