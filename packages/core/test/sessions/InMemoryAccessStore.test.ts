import { Layer } from "effect"
import { InMemoryAccessStore } from "../../src/sessions/InMemoryAccessStore.ts"
import { InMemoryUnitOfWork } from "../../src/storage/InMemoryStorage.ts"
import { accessStoreContract } from "../../src/testing/sessions/accessStoreContract.ts"

accessStoreContract("in memory", Layer.merge(InMemoryAccessStore.layer, InMemoryUnitOfWork.layer))
