import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { moneyRecordsContract } from "../../src/testing/users/moneyRecordsContract.ts"

moneyRecordsContract("in memory", inMemoryStorageLayer)
