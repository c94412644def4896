import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { Database } from "../src/database/Database.ts"
import { databaseLayer } from "../src/databaseLayer.ts"
import { freshPostgres, migratedPostgres } from "./databases.ts"

const POOLER = "/usr/sbin/pgbouncer"

/** True if pgbouncer is installed. */
export const hasPooler = (() => {
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

/**
 * Starts a separate pooler in transaction mode, with fewer connections than callers; undefined if another process took
 * its port meanwhile.
 */
const startPooler = Effect.fnUntraced(function* (database: URL) {
  const port = yield* freePort
  const folder = mkdtempSync(join(tmpdir(), "parley-pooler-"))
  const settings = join(folder, "pgbouncer.ini")
  const user = decodeURIComponent(database.username)
  writeFileSync(join(folder, "users"), `"${user}" ""\n`, { mode: 0o644 })
  const ini = `[databases]\n* = host=${database.hostname} port=${database.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${port}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${join(folder, "users")}\npool_mode = transaction
default_pool_size = 4\n`
  writeFileSync(settings, ini, { mode: 0o644 })
  const asUser = userInfo().uid === 0 ? ["-u", "nobody"] : []
  if (asUser.length > 0) chmodSync(folder, 0o755)
  const pooler = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(POOLER, ["-q", ...asUser, settings], { stdio: "ignore" })),
    (running) => stopPooler(running, folder)
  )
  const url = new URL(database)
  url.port = String(port)
  const answers = Effect.provide(
    Database.use(({ statement }) => statement("SELECT 1")),
    databaseLayer({ url: url.href })
  )
  const patience = { schedule: Schedule.spaced("50 millis"), while: () => pooler.exitCode === null, times: 1_000 }
  yield* Effect.ignore(Effect.retry(answers, patience))
  return pooler.exitCode === null ? url.href : undefined
})

/** A pooler before a database. */
export const before = Effect.fnUntraced(function* (own: typeof freshPostgres) {
  const database = new URL(yield* own)
  for (;;) {
    const url = yield* startPooler(database)
    if (url !== undefined) return url
  }
})

/** A pooler before a database of our own, with nothing in it. */
export const behindPooler = before(freshPostgres)

/** The same with every migration. */
export const migratedBehindPooler = before(migratedPostgres)
