import { suiteOn } from "@parley/core/testing"
import { Deferred, Effect, Fiber } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { Database, type Sql } from "../../src/database/Database.ts"
import { forPurpose } from "../../src/database/limits.ts"
import { databases, hasPostgres } from "../databases.ts"

const serverUrl = process.env["TEST_DATABASE_URL"]

interface Backend {
  readonly pid: number
  readonly database: string
}

/** The backend that serves this connection, after a check that the server can be asked for it. */
const backendOf = (sql: Sql) =>
  Effect.gen(function* () {
    const [row] = yield* sql.query<{ pid: number; database: string }>(
      "SELECT pg_backend_pid() AS pid, current_database() AS database"
    )
    expect(row?.database).toMatch(/^parley_[0-9a-f]{32}_[0-9a-f]{12}$/)
    return row as Backend
  })

/**
 * Ends a backend from outside, if it really belongs to the database of this test. Returns the number of ended backends.
 */
const terminate = ({ pid, database }: Backend) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    try {
      const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory")
      expect(rows[0]?.data_directory).toMatch(/^\//)
      const ended = await client.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = $1 AND datname = $2",
        [pid, database]
      )
      return ended.rowCount
    } finally {
      await client.end()
    }
  })

const postgres = databases.find(({ name }) => name === "Postgres")

describe.runIf(hasPostgres)("a lost connection", () => {
  if (postgres === undefined) return
  suiteOn("between two statements", postgres.layer, (run) => {
    it("fails its transaction as worth trying again; the next one works", () =>
      run(
        Effect.gen(function* () {
          const { asService } = yield* Database
          const error = yield* Effect.flip(
            asService((sql) =>
              Effect.gen(function* () {
                expect(yield* terminate(yield* backendOf(sql))).toBe(1)
                return yield* sql.query("SELECT 1")
              })
            )
          )
          expect(error.retryable).toBe(true)
          expect(yield* asService((sql) => sql.query("SELECT 1 AS one"))).toEqual([{ one: 1 }])
        })
      ))

    it("is noticed at the commit as well: nothing is reported as done", () =>
      run(
        Effect.gen(function* () {
          const { asService } = yield* Database
          const error = yield* Effect.flip(asService((sql) => Effect.flatMap(backendOf(sql), terminate)))
          expect(error.retryable).toBe(true)
        })
      ))
  })

  suiteOn("within a statement", postgres.layer, (run) => {
    it("fails the statement as worth trying again; the next transaction works", () =>
      run(
        Effect.gen(function* () {
          const { asService } = yield* Database
          const backend = yield* Deferred.make<Backend>()
          const sleeping = asService((sql) =>
            Effect.gen(function* () {
              yield* Deferred.succeed(backend, yield* backendOf(sql))
              return yield* sql.query("SELECT pg_sleep(60)")
            })
          )
          const fiber = yield* Effect.forkChild(Effect.flip(sleeping))
          yield* terminate(yield* Deferred.await(backend))
          expect((yield* Fiber.join(fiber)).retryable).toBe(true)
          expect(yield* asService((sql) => sql.query("SELECT 1 AS one"))).toEqual([{ one: 1 }])
        })
      ))

    it("an interruption does not wait for a statement that goes on and on", () =>
      run(
        Effect.gen(function* () {
          const { asService } = yield* Database
          const started = yield* Deferred.make<void>()
          const sleeping = asService((sql) =>
            Effect.gen(function* () {
              yield* sql.query("SELECT 1")
              yield* Deferred.succeed(started, undefined)
              return yield* sql.query("SELECT pg_sleep(600)")
            })
          )
          const fiber = yield* Effect.forkChild(forPurpose("audit")(sleeping))
          yield* Deferred.await(started)
          yield* Fiber.interrupt(fiber)
          expect(yield* asService((sql) => sql.query("SELECT 1 AS one"))).toEqual([{ one: 1 }])
        })
      ))
  })

  suiteOn("while idle", postgres.layer, (run) => {
    it("does not end the process, and every later call finds a connection", () =>
      run(
        Effect.gen(function* () {
          const { asService } = yield* Database
          for (let round = 0; round < 10; round++) {
            const backend = yield* asService(backendOf)
            expect(yield* terminate(backend)).toBe(1)
            // The loss may not have been noticed yet: then the first call fails, as worth trying again.
            const asked = Effect.retry(
              asService((sql) => sql.query("SELECT 1 AS one")),
              { times: 5, while: (error) => error.retryable }
            )
            expect(yield* asked).toEqual([{ one: 1 }])
          }
        })
      ))

    it("no connection is left in a transaction after failures of every kind", () =>
      run(
        Effect.gen(function* () {
          const { asService, statement } = yield* Database
          const failing = [
            asService((sql) => sql.query("SELECT 1 / 0")),
            asService((sql) => Effect.andThen(sql.query("SELECT 1"), Effect.fail("refused"))),
            asService((sql) => Effect.andThen(sql.query("SELECT 1"), Effect.die("a bug"))),
            asService((sql) => Effect.andThen(sql.query("SELECT 1"), Effect.interrupt)),
            statement("SELECT no_such_column")
          ]
          const many = Array.from({ length: 200 }, (_, index) =>
            Effect.exit(failing[index % failing.length] ?? Effect.void)
          )
          yield* Effect.all(many, { concurrency: 50 })
          const [open] = yield* statement<{ count: number }>(
            `SELECT count(*) AS count FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`
          )
          expect(open?.count).toBe(0)
          const all = Array.from({ length: 60 }, () => asService((sql) => sql.query("SELECT 1")))
          expect(yield* Effect.all(all, { concurrency: "unbounded" })).toHaveLength(60)
        })
      ))
  })
})
