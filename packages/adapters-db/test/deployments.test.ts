/** The same stores as deployed in other ways: with a login that is no superuser, and behind a transaction-pooling pooler. */
import {
  chatStoreContract,
  creditLedgerContract,
  documentStoreContract,
  fileStoreContract,
  jobQueueContract,
  unitOfWorkContract
} from "@parley/core/testing"
import { Effect, Layer, type Scope } from "effect"
import { describe } from "vitest"
import { databaseLayer } from "../src/databaseLayer.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { storesLayer } from "../src/storesLayer.ts"
import { administer, freshPostgres, hasPostgres } from "./databases.ts"
import { behindPooler, hasPooler } from "./pooler.ts"

const stores = storesLayer({ tries: 3, retryDelaySeconds: 0, pollingIntervalSeconds: 0.5 })

const contracts = (name: string, url: Effect.Effect<string, never, Scope.Scope>) => {
  const database = Layer.unwrap(Effect.map(url, (url) => databaseLayer({ url, maxConnections: 10 })))
  const migrated = Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(database))
  const layer = stores.pipe(Layer.provide(migrated))
  chatStoreContract(name, layer)
  creditLedgerContract(name, layer)
  documentStoreContract(name, layer)
  fileStoreContract(name, layer)
  unitOfWorkContract(name, layer)
  jobQueueContract(name, layer, { tries: 3 })
}

/** A database that belongs to a login of its own, which is no superuser and may not create roles. */
const ordinaryLogin = Effect.gen(function* () {
  const url = new URL(yield* freshPostgres)
  const database = url.pathname.slice(1)
  const login = `${database}_login`
  const remove = Effect.promise(async () => {
    await administer(`ALTER DATABASE ${database} OWNER TO CURRENT_USER`)
    await administer(`REASSIGN OWNED BY ${login} TO CURRENT_USER; DROP OWNED BY ${login}`, database)
    await administer(`DROP ROLE ${login}`)
  })
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await administer(`CREATE ROLE ${login} LOGIN NOSUPERUSER NOCREATEROLE`)
      await administer(`GRANT parley_user, parley_service TO ${login}`)
      await administer(`ALTER DATABASE ${database} OWNER TO ${login}`)
    }),
    () => remove
  )
  url.username = login
  return url.href
})

describe.runIf(hasPostgres)("with an ordinary login", () => contracts("Postgres, ordinary login", ordinaryLogin))
describe.runIf(hasPostgres && hasPooler)("behind a pooler", () =>
  contracts("Postgres, transaction pooling", behindPooler)
)
