import { PersonalData } from "@parley/core/adapter"
import type { Cursor } from "@parley/core/adapter"
/** Servers whose administrators keep them stricter, or speak another language, than the one most tests run on; `deployments.test.ts` has the contracts there. */
import { newUserId, testedLedger } from "@parley/core/testing"
import { Effect, Layer, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../src/database/Database.ts"
import { databaseLayer } from "../src/databaseLayer.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { storesLayer } from "../src/storesLayer.ts"
import { administer } from "./administer.ts"
import { builtOnce } from "./builtOnce.ts"
import { american, freshPostgres, hasPostgres } from "./databases.ts"
import { hardenedBy, ordinaryLogin, ownerOf, partsOf } from "./ordinaryLogin.ts"

const migrated = (url: string) =>
  Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(databaseLayer({ url, maxConnections: 5 })))

const storesOn = (url: Effect.Effect<string, never, Scope.Scope>) =>
  Layer.unwrap(Effect.map(url, (url) => storesLayer().pipe(Layer.provide(migrated(url)))))

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

const hardened = Effect.tap(ordinaryLogin, hardenedBy)

describe.runIf(hasPostgres)("with functions that PUBLIC may not execute by default", () => {
  it("the service role may execute every function of the schema", () =>
    run(
      Effect.gen(function* () {
        const denied = yield* Effect.provide(
          Database.use(({ schema, statement }) =>
            statement(
              `SELECT oid::regprocedure::text AS function FROM pg_proc WHERE pronamespace = to_regnamespace($1)
               AND NOT has_function_privilege('parley_service', oid, 'EXECUTE')`,
              [schema]
            )
          ),
          migrated(yield* hardened)
        )
        expect(denied).toEqual([])
      })
    ))
})

describe.runIf(hasPostgres)("with a login that inherits nothing", () => {
  it("what the refusal tells an administrator to run makes it work", () =>
    run(
      Effect.gen(function* () {
        const url = yield* ownerOf(yield* freshPostgres, "NOINHERIT")
        const { login } = partsOf(url)
        // A plain membership, as one may be tempted to grant, lets it set the roles and use nothing.
        yield* Effect.promise(() => administer(`GRANT parley_user, parley_service TO ${login}`))
        const refused = yield* Effect.flip(Effect.provide(migrate(), databaseLayer({ url })))
        const told = refused.message.match(/Let an administrator run: (.+;)/)?.[1]
        expect(told, refused.message).toBeDefined()
        yield* Effect.promise(() => administer(told ?? ""))
        const userId = newUserId()
        const account = yield* Effect.provide(
          Effect.flatMap(testedLedger, (ledger) => ledger.open({ userId, tier: "free", allowance: 5 })),
          storesOn(Effect.succeed(url))
        )
        expect(account.allowance).toBe(5)
      })
    ))
})

describe.runIf(hasPostgres)("where texts sort as in a dictionary", () => {
  const database = builtOnce(Layer.unwrap(Effect.map(american, migrated)))

  it("users and keys are compared by their bytes, in every table", () =>
    run(
      Effect.gen(function* () {
        const others = yield* Effect.provide(
          Database.use(({ schema, statement }) =>
            statement(
              `SELECT attrelid::regclass::text AS table, attname FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
               WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p') AND attname IN ('user_id', 'key')
                 AND attcollation <> 'pg_catalog."C"'::regcollation`,
              [schema]
            )
          ),
          database
        )
        expect(others).toEqual([])
      })
    ))

  it("accounts come in the order of their bytes, page by page", () =>
    run(
      Effect.gen(function* () {
        const users = ["b", "A", "_", "a", "B", "\u00e4", "a-b", "ab", "\u{1F600}"]
        const seen = yield* Effect.provide(
          Effect.gen(function* () {
            const ledger = yield* testedLedger
            for (const userId of users) yield* ledger.open({ userId, tier: "free", allowance: 5 })
            const order: Array<string> = []
            const people = yield* PersonalData
            let after: Cursor | undefined
            do {
              const page = yield* people.list({ search: undefined, blocked: false, after, limit: 1 })
              order.push(...page.rows.map(({ userId }) => userId))
              after = page.next
            } while (after !== undefined)
            return order
          }),
          storesLayer().pipe(Layer.provide(database))
        )
        expect(seen).toEqual(users.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
      })
    ))
})
