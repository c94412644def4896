/**
 * The contracts of the stores that hold people's data, with only the row-level policies between one person and
 * another: the conditions on the owner are taken out of every statement of the role of a person, and out of the schema's
 * functions. Through a pooler in transaction mode, so that no session keeps a role.
 */
import {
  botStoreContract,
  chatStoreContract,
  conversationFilesContract,
  crmConnectionStoreContract,
  documentStoreContract,
  fileStoreContract,
  passageIndexContract,
  runningRepliesContract,
  unitOfWorkContract,
  userExportContract
} from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { databaseLayer } from "../../src/databaseLayer.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { builtOnce } from "../builtOnce.ts"
import { ageChat } from "../chat/ageChat.ts"
import { hasPostgres } from "../databases.ts"
import { hasPooler } from "../pooler.ts"
import { withoutConditions } from "./removeConditions.ts"
import { newRemoval, poolWithoutConditions } from "./statementsWithout.ts"

describe.runIf(hasPostgres && hasPooler)("without conditions on the owner", () => {
  const removal = newRemoval()
  const database = Layer.unwrap(
    Effect.gen(function* () {
      const { url } = yield* withoutConditions(removal)
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => poolWithoutConditions(url, removal)),
        (pool) => Effect.promise(() => pool.end())
      )
      return databaseLayer({ pool })
    })
  )
  const layer = builtOnce(storesLayer({ pollingIntervalSeconds: 0.5 }).pipe(Layer.provideMerge(database)))
  const name = "Postgres, by its policies alone"
  botStoreContract(name, layer)
  chatStoreContract(name, layer, ageChat)
  conversationFilesContract(name, layer)
  crmConnectionStoreContract(name, layer)
  documentStoreContract(name, layer)
  fileStoreContract(name, layer)
  passageIndexContract(name, layer)
  runningRepliesContract(name, layer)
  unitOfWorkContract(name, layer)
  userExportContract(name, layer)

  it("every statement of a person's role that names an owner was sent without its condition", () => {
    expect([...removal.missed]).toEqual([])
    expect(removal.statements.size).toBeGreaterThanOrEqual(40)
    expect(removal.functions.size).toBeGreaterThanOrEqual(40)
  })
})
