import { Layer } from "effect"
import { billingStoreContract } from "../../src/testing/billing/billingStoreContract.ts"
import { InMemoryPersonalData } from "../../src/users/InMemoryPersonalData.ts"
import { billingInMemory } from "./stories.ts"

billingStoreContract("in memory", Layer.merge(billingInMemory, InMemoryPersonalData.layer))
