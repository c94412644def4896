import { Layer } from "effect"
import { InMemoryAccessStore } from "../../src/sessions/InMemoryAccessStore.ts"
import { InMemorySignInStore } from "../../src/signin/InMemorySignInStore.ts"
import { signInStoreContract } from "../../src/testing/signin/signInStoreContract.ts"
import { InMemoryPersonalData } from "../../src/users/InMemoryPersonalData.ts"

signInStoreContract(
  "in memory",
  Layer.mergeAll(InMemorySignInStore.layer, InMemoryPersonalData.layer, InMemoryAccessStore.layer)
)
