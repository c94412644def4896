import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { creditLedgerContract } from "../../src/testing/creditLedgerContract.ts"

creditLedgerContract("in memory", InMemoryCreditLedger.layer)
