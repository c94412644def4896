import { Effect } from "effect"
import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { creditLedgerModelTest, ledgerOf } from "../../src/testing/credits/model/creditLedgerModelTest.ts"

/** `PARLEY_TEST_SEED` and `PARLEY_TEST_PATH`, as a failing run prints them, play its histories again. */
const { PARLEY_TEST_SEED: seed, PARLEY_TEST_PATH: path } = process.env

/** Plays random histories on the ledger in memory. */
export const historiesInMemory = (histories: number): void =>
  creditLedgerModelTest(
    "in memory",
    Effect.map(ledgerOf(InMemoryCreditLedger.layer), (ledger) => [ledger]),
    { histories, seed: seed === undefined ? undefined : Number(seed), path }
  )
