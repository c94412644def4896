import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { userImportContract } from "../../src/testing/users/userImportContract.ts"

userImportContract("in memory", inMemoryStorageLayer, { runs: 100 })
