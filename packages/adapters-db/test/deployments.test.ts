/** The same stores as deployed in other ways: with a login that is no superuser, and behind a transaction-pooling pooler. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import {
  chatStoreContract,
  creditLedgerContract,
  documentStoreContract,
  fileStoreContract,
  jobQueueContract,
  unitOfWorkContract
} from "@parley/core/testing"
import { Effect, Layer, Schedule, type Scope } from "effect"
import { describe } from "vitest"
import { databaseLayer } from "../src/databaseLayer.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { Database } from "../src/database/Database.ts"
import { storesLayer } from "../src/storesLayer.ts"
import { administer, freshPostgres, hasPostgres } from "./databases.ts"

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

const POOLER = "/usr/sbin/pgbouncer"

const hasPooler = (() => {
  try {
    accessSync(POOLER)
    return true
  } catch {
    return false
  }
})()

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
})

const stopPooler = (pooler: ChildProcess, folder: string) =>
  Effect.promise(async () => {
    const gone = once(pooler, "exit")
    if (pooler.exitCode === null && pooler.kill("SIGKILL")) await gone
    rmSync(folder, { recursive: true, force: true })
  })

/** A pooler of our own in transaction mode, with fewer connections than callers, before a database of our own. */
const behindPooler = Effect.gen(function* () {
  const url = new URL(yield* freshPostgres)
  const port = yield* freePort
  const folder = mkdtempSync(join(tmpdir(), "parley-pooler-"))
  const settings = join(folder, "pgbouncer.ini")
  const user = decodeURIComponent(url.username)
  writeFileSync(join(folder, "users"), `"${user}" ""\n`, { mode: 0o644 })
  const ini = `[databases]\n* = host=${url.hostname} port=${url.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${port}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${join(folder, "users")}\npool_mode = transaction
default_pool_size = 4\n`
  writeFileSync(settings, ini, { mode: 0o644 })
  const asUser = userInfo().uid === 0 ? ["-u", "nobody"] : []
  if (asUser.length > 0) chmodSync(folder, 0o755)
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(POOLER, ["-q", ...asUser, settings], { stdio: "ignore" })),
    (pooler) => stopPooler(pooler, folder)
  )
  url.port = String(port)
  const answers = Effect.provide(
    Database.use(({ statement }) => statement("SELECT 1")),
    databaseLayer({ url: url.href })
  )
  yield* Effect.orDie(Effect.retry(answers, { times: 100, schedule: Schedule.spaced("50 millis") }))
  return url.href
})

describe.runIf(hasPostgres)("with an ordinary login", () => contracts("Postgres, ordinary login", ordinaryLogin))
describe.runIf(hasPostgres && hasPooler)("behind a pooler", () =>
  contracts("Postgres, transaction pooling", behindPooler)
)
