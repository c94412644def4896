import { billingUpkeepContract } from "../../src/testing/billing/billingUpkeepContract.ts"
import { billingInMemory } from "./stories.ts"

billingUpkeepContract("in memory", billingInMemory)
