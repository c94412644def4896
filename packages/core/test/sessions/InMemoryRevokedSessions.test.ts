import { InMemoryRevokedSessions } from "../../src/sessions/InMemoryRevokedSessions.ts"
import { revokedSessionsContract } from "../../src/testing/sessions/revokedSessionsContract.ts"

revokedSessionsContract("in memory", InMemoryRevokedSessions.layer)
