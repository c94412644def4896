import { Layer } from "effect"
import { InMemoryBotStore } from "../../src/bots/InMemoryBotStore.ts"
import { InMemoryCrmConnectionStore } from "../../src/crm/InMemoryCrmConnectionStore.ts"
import { InMemoryOAuthStateStore } from "../../src/crm/InMemoryOAuthStateStore.ts"
import { crmConnectionStoreContract } from "../../src/testing/crm/crmConnectionStoreContract.ts"
import { oauthStateStoreContract } from "../../src/testing/crm/oauthStateStoreContract.ts"

crmConnectionStoreContract("in memory", Layer.merge(InMemoryBotStore.layer, InMemoryCrmConnectionStore.layer))
oauthStateStoreContract("in memory", InMemoryOAuthStateStore.layer)
