import { AuditLog } from "../../src/audit/AuditLog.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { auditLogContract } from "../../src/testing/audit/auditLogContract.ts"

auditLogContract("in memory", inMemoryStorageLayer, (at, entry) =>
  atTime(
    at,
    AuditLog.use((log) => log.record(entry))
  )
)
