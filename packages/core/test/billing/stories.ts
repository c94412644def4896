import { Layer } from "effect"
import { InMemoryBillingStore } from "../../src/billing/InMemoryBillingStore.ts"
import { InMemoryBillingUpkeep } from "../../src/billing/upkeep/InMemoryBillingUpkeep.ts"
import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryStorage.ts"
import { billingModelTest } from "../../src/testing/billing/billingModelTest.ts"

/** `PARLEY_TEST_SEED` and `PARLEY_TEST_PATH`, as a failing run prints them, play its stories again. */
const { PARLEY_TEST_SEED: seed, PARLEY_TEST_PATH: path } = process.env

/** The storage of billing, in memory. */
export const billingInMemory = Layer.mergeAll(
  InMemoryBillingStore.layer,
  InMemoryBillingUpkeep.layer,
  InMemoryCreditLedger.layer,
  InMemoryUnitOfWork.layer
)

/** Plays random stories of at most this number of acts on the stores in memory. */
export const storiesInMemory = (stories: number, acts: number): void =>
  billingModelTest("in memory", billingInMemory, {
    stories,
    acts,
    apart: true,
    seed: seed === undefined ? undefined : Number(seed),
    path
  })
