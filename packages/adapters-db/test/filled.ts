import type { Cursor } from "@parley/core/adapter"
import { ChatStore, type Difference, DocumentStore, FileStore, ProjectStore } from "@parley/core/adapter"
import {
  ampleQuota,
  newDocument,
  newTurn,
  newUserId,
  receiptDraft,
  reservation,
  testedLedger
} from "@parley/core/testing"
import { Effect } from "effect"

/** Something of everything, of two people. */
export const fill = Effect.gen(function* () {
  const users = [newUserId(), newUserId()]
  const ledger = yield* testedLedger
  for (const userId of users) {
    const document = newDocument(userId)
    const project = { id: crypto.randomUUID(), name: "Tea", instructions: "Be brief.", documentIds: [document.id] }
    yield* (yield* ProjectStore).create(userId, project, 1)
    yield* (yield* ChatStore).beginTurn(newTurn(userId, { projectId: project.id }))
    yield* (yield* DocumentStore).insert(document, ampleQuota)
    yield* (yield* FileStore).write({ userId, documentId: document.id, bytes: new Uint8Array([0, 1, 255]) })
    yield* ledger.open({ userId, tier: "free", allowance: 100 })
    yield* ledger.grant({ userId, key: "topup:1", type: "topup", amount: 50 })
    for (const key of ["reply:1", "reply:2", "reply:3"]) yield* ledger.reserve(reservation(userId, key, 20))
    yield* ledger.settle({ userId, key: "reply:1", amount: 25, draft: receiptDraft })
    yield* ledger.release({ userId, key: "reply:2" })
  }
  return users
})

/** All differences between balances and rows. */
export const verifyAll = Effect.gen(function* () {
  const ledger = yield* testedLedger
  const differences: Array<Difference> = []
  let after: Cursor | undefined
  do {
    const chunk = yield* ledger.verify({ limit: 100, after })
    differences.push(...chunk.differences)
    after = chunk.next
  } while (after !== undefined)
  return differences
})
