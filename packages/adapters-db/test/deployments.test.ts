/** The same stores as deployed in other ways: with a login that is no superuser, and behind a transaction-pooling pooler. */
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
import { describe } from "vitest"
import { databaseLayer } from "../src/databaseLayer.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { storesLayer } from "../src/storesLayer.ts"
import { builtOnce } from "./builtOnce.ts"
import { hasPostgres } from "./databases.ts"
import { ordinaryLogin } from "./ordinaryLogin.ts"
import { behindPooler, hasPooler } from "./pooler.ts"

const stores = storesLayer({ pollingIntervalSeconds: 0.5 })

const contracts = (name: string, url: Effect.Effect<string, never, Scope.Scope>) => {
  const database = Layer.unwrap(Effect.map(url, (url) => databaseLayer({ url, maxConnections: 10 })))
  const migrated = builtOnce(Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(database)))
  const layer = stores.pipe(Layer.provide(migrated))
  chatStoreContract(name, layer)
  creditLedgerContract(name, layer)
  documentStoreContract(name, layer)
  fileStoreContract(name, layer)
  runningRepliesContract(name, layer)
  unitOfWorkContract(name, layer)
  jobQueueContract(name, layer)
}

describe.runIf(hasPostgres)("with an ordinary login", () => contracts("Postgres, ordinary login", ordinaryLogin))
describe.runIf(hasPostgres && hasPooler)("behind a pooler", () =>
  contracts("Postgres, transaction pooling", behindPooler)
)
