import { AccessList, SignOut } from "@parley/core/effect"
import { RevokedSessions } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgAccessStoreLayer, PgRevokedSessionsLayer } from "../../src/sessions/PgAccessStore.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const HOUR_MS = 3_600_000
const PROCESSES = 4

describe.runIf(hasPostgres)("signing out, with several server processes on one database", () => {
  const onDatabase = <A, E>(work: (url: string) => Effect.Effect<A, E, TestClock.TestClock>) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const url = yield* migratedPostgres
          return yield* work(url)
        })
      ).pipe(Effect.provide(TestClock.layer())) as Effect.Effect<A, E>
    )

  it("is known to all of them two seconds later, also where all sign out at once", () =>
    onDatabase((url) =>
      Effect.scoped(
        Effect.gen(function* () {
          const database = PgDatabaseLayer({ url, maxConnections: 2 })
          const layer = SignOut.layer.pipe(
            Layer.provide(AccessList.layer),
            Layer.provide(Layer.merge(PgRevokedSessionsLayer, PgAccessStoreLayer)),
            Layer.provide(database)
          )
          const processes = yield* Effect.all(
            Array.from({ length: PROCESSES }, () =>
              Effect.flatMap(Layer.build(Layer.fresh(layer)), (context) =>
                Effect.provideContext(SignOut.use(Effect.succeed), context)
              )
            )
          )
          const everywhere = (token: string) =>
            Effect.all(
              processes.map((process) => process.isSignedOut(token)),
              { concurrency: "unbounded" }
            )
          const expiresAt = Date.now() + HOUR_MS
          expect(yield* everywhere("token-0")).toEqual(Array(PROCESSES).fill(false))
          for (let round = 0; round < 5; round++) {
            const tokens = processes.map((_, index) => `token-${round}-${index}`)
            // Each process signs out one of its own, and all the same one.
            yield* Effect.all(
              processes.flatMap((process, index) => [
                process.signOut({ token: tokens[index] ?? "", expiresAt }),
                process.signOut({ token: `token-${round}`, expiresAt })
              ]),
              { concurrency: "unbounded" }
            )
            for (const [index, process] of processes.entries()) {
              expect(yield* process.isSignedOut(tokens[index] ?? "")).toBe(true)
            }
            yield* TestClock.adjust("2 seconds")
            for (const token of [...tokens, `token-${round}`]) {
              expect(yield* everywhere(token)).toEqual(Array(PROCESSES).fill(true))
            }
          }
          expect(yield* everywhere("another")).toEqual(Array(PROCESSES).fill(false))
        })
      )
    ))

  it("is not missed where it is committed after others asked that began later", () =>
    onDatabase((url) =>
      Effect.gen(function* () {
        const { asService, schema } = yield* Database
        const sessions = yield* RevokedSessions
        const digest = "aa".repeat(32)
        const asked = yield* asService(({ query }) =>
          Effect.andThen(
            query(
              `INSERT INTO ${schema}.revoked_sessions (digest, expires_at)
               VALUES (decode($1, 'hex'), now() + interval '1 hour')`,
              [digest]
            ),
            // Another process asks meanwhile, on a connection of its own.
            Effect.promise(() =>
              Effect.runPromise(
                Effect.provide(
                  RevokedSessions.use(({ since }) => since(undefined)),
                  Layer.provide(PgRevokedSessionsLayer, PgDatabaseLayer({ url, maxConnections: 1 }))
                )
              )
            )
          )
        )
        expect(asked.sessions).toEqual([])
        expect((yield* sessions.since(asked.asOf)).sessions).toMatchObject([{ digest }])
      }).pipe(
        Effect.provide(PgRevokedSessionsLayer.pipe(Layer.provideMerge(PgDatabaseLayer({ url, maxConnections: 2 }))))
      )
    ))

  it("keeps no token, and nothing of a session once it has expired", () =>
    onDatabase((url) =>
      Effect.gen(function* () {
        const { schema, statement } = yield* Database
        const sessions = yield* RevokedSessions
        const count = Effect.map(
          statement<{ count: number }>(`SELECT count(*) FROM ${schema}.revoked_sessions`),
          ([row]) => row?.count
        )
        const digest = (byte: string) => byte.repeat(32)
        const now = Date.now()
        yield* sessions.revoke({ digest: digest("aa"), expiresAt: now + HOUR_MS })
        yield* sessions.revoke({ digest: digest("bb"), expiresAt: now + HOUR_MS })
        yield* statement(`INSERT INTO ${schema}.revoked_sessions (digest, expires_at)
          VALUES (decode(repeat('cc', 32), 'hex'), now() - interval '1 second')`)
        expect(yield* count).toBe(3)
        yield* sessions.revoke({ digest: digest("dd"), expiresAt: now + HOUR_MS })
        expect(yield* count).toBe(3)
        expect((yield* sessions.since(undefined)).sessions).toHaveLength(3)
      }).pipe(
        Effect.provide(PgRevokedSessionsLayer.pipe(Layer.provideMerge(PgDatabaseLayer({ url, maxConnections: 2 }))))
      )
    ))
})
