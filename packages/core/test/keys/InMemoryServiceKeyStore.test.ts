import { Layer } from "effect"
import { InMemoryServiceKeyStore } from "../../src/keys/InMemoryServiceKeyStore.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryStorage.ts"
import { serviceKeyStoreContract } from "../../src/testing/keys/serviceKeyStoreContract.ts"

serviceKeyStoreContract("in memory", Layer.merge(InMemoryServiceKeyStore.layer, InMemoryUnitOfWork.layer))
