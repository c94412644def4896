import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { auditLogContract } from "../../src/testing/audit/auditLogContract.ts"

auditLogContract("in memory", inMemoryStorageLayer)
