import { beforeEach } from "vitest"

const SHARED_ROWS = "the rows that all people share are in the global database: a commit apart from that of the unit"
const EACH_BY_ITSELF = "each cell does as much as is asked for at most"

/** Tests of contracts that cannot hold over several cells, by the contract and the test, and why. */
const CANNOT_HOLD: Readonly<Record<string, string>> = {
  "BillingUpkeep: removes the content of done events, and keeps that they are done":
    "a second copy of the event names another person, in another cell: each cell knows its own events only",
  "BillingUpkeep: does no more than is asked for at once": EACH_BY_ITSELF,
  "ChatStore: one call deletes few messages, those without use for longest, and at least one chat": EACH_BY_ITSELF,
  "JobQueue: jobs for which no person waits begin after all others that are due":
    "each cell has a queue and a worker of its own, whose order says nothing about the other queues",
  "ServiceKeyStore: a change of a unit of work that fails is undone": SHARED_ROWS,
  "AuditLog: has nothing of a unit of work that fails, and is entered with one that does not": SHARED_ROWS
}

/** Skips the tests that cannot hold over several cells. */
export const skipWhatCannotHold = (): void =>
  beforeEach(({ skip, task }) => {
    const contract = task.suite?.name.split(":")[0] ?? ""
    const why = CANNOT_HOLD[`${contract}: ${task.name}`]
    if (why !== undefined) skip(why)
  })
