import { Effect } from "effect"
import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { creditLedgerModelTest, ledgerOf } from "../../src/testing/creditLedgerModelTest.ts"

creditLedgerModelTest(
  "in memory",
  Effect.map(ledgerOf(InMemoryCreditLedger.layer), (ledger) => [ledger]),
  { histories: 1_000 }
)
