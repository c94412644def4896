import {
  chatStoreContract,
  creditLedgerContract,
  documentStoreContract,
  fileStoreContract,
  jobQueueContract,
  runningRepliesContract,
  unitOfWorkContract
} from "@parley/core/testing"
import { Effect, Layer, type Scope } from "effect"
import { databaseLayer } from "../src/databaseLayer.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { storesLayer } from "../src/storesLayer.ts"
import { builtOnce } from "./builtOnce.ts"
import { ageChat } from "./chat/ageChat.ts"

const stores = storesLayer({ pollingIntervalSeconds: 0.5 })

/** All stores on the database of a url, which the first user migrates, once in a block of tests. */
export const migratedStores = (url: Effect.Effect<string, never, Scope.Scope>) => {
  const database = Layer.unwrap(Effect.map(url, (url) => databaseLayer({ url, maxConnections: 10 })))
  const migrated = builtOnce(Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(database)))
  return stores.pipe(Layer.provideMerge(migrated))
}

/** The contracts of the stores, on an empty database with a special deployment. */
export const deployedContracts = (name: string, url: Effect.Effect<string, never, Scope.Scope>) => {
  const layer = migratedStores(url)
  chatStoreContract(name, layer, ageChat)
  creditLedgerContract(name, layer)
  documentStoreContract(name, layer)
  fileStoreContract(name, layer)
  runningRepliesContract(name, layer)
  unitOfWorkContract(name, layer)
  jobQueueContract(name, layer)
}
