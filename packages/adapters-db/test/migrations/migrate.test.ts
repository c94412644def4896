import { type Run, suiteOn } from "@parley/core/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import type { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migrate, pendingMigrations } from "../../src/migrations/migrate.ts"
import { loadMigrations, makeMigration } from "../../src/migrations/Migration.ts"
import { databases, freshPostgres, hasPostgres } from "../databases.ts"
import { migrateTogether } from "./migrateTogether.ts"

const first = makeMigration("0001_first", "CREATE TABLE {{schema}}.first (id integer); SELECT ';'")
const second = makeMigration("0002_second", "CREATE TABLE {{schema}}.second (id integer)")

const tables = Database.use(({ schema, statement }) =>
  Effect.map(
    statement<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' ORDER BY 1",
      [schema]
    ),
    (rows) => rows.map(({ name }) => name)
  )
)

const applying = (run: Run<Database | DatabaseOwner>) => {
  it("what is missing is applied in order, once; what is applied is not touched again", () =>
    run(
      Effect.gen(function* () {
        expect(yield* pendingMigrations([first, second])).toEqual(["0001_first", "0002_second"])
        expect(yield* migrate([first])).toEqual(["0001_first"])
        expect(yield* pendingMigrations([first, second])).toEqual(["0002_second"])
        expect(yield* migrate([first, second])).toEqual(["0002_second"])
        expect(yield* migrate([first, second])).toEqual([])
        expect(yield* tables).toEqual(["first", "migrations", "second"])
      })
    ))

  it("a migration changed after it was applied is refused by name, and nothing else is applied", () =>
    run(
      Effect.gen(function* () {
        const changed = makeMigration("0001_first", `${first.text} `)
        const third = makeMigration("0003_third", "CREATE TABLE {{schema}}.third (id integer)")
        for (const refused of [migrate([changed, second, third]), pendingMigrations([changed, second, third])]) {
          const error = yield* Effect.flip(refused)
          expect(error).toMatchObject({ _tag: "MigrationRefused", problem: "changed", migrations: ["0001_first"] })
        }
        expect(yield* tables).not.toContain("third")
      })
    ))

  it("a schema of a newer program is refused by the migrations it does not know", () =>
    run(
      Effect.gen(function* () {
        const error = yield* Effect.flip(migrate([first]))
        expect(error).toMatchObject({ _tag: "MigrationRefused", problem: "unknown", migrations: ["0002_second"] })
      })
    ))

  it("a migration that fails leaves nothing of itself, keeps those before it, and says what the database said", () =>
    run(
      Effect.gen(function* () {
        const third = makeMigration("0003_third", "CREATE TABLE {{schema}}.third (id integer)")
        const broken = makeMigration(
          "0004_broken",
          "CREATE TABLE {{schema}}.fourth (id integer); SELECT no_such_column"
        )
        const error = yield* Effect.flip(migrate([first, second, third, broken]))
        expect(error).toMatchObject({ _tag: "MigrationRefused", problem: "failed", migrations: ["0004_broken"] })
        expect(error.message).toContain('column "no_such_column" does not exist')
        expect(yield* tables).toEqual(["first", "migrations", "second", "third"])
      })
    ))
}

for (const { name, empty } of databases) suiteOn(`migrate on ${name}`, empty, applying)

it("line ends of a checkout do not change a migration", () => {
  expect(makeMigration("0001_a", "SELECT 1;\r\nSELECT 2;\r\n").checksum).toBe(
    makeMigration("0001_a", "SELECT 1;\nSELECT 2;\n").checksum
  )
})

it("every statement of the shipped migrations names its schema through the placeholder", async () => {
  for (const { id, text } of await loadMigrations()) {
    expect(text, id).not.toMatch(/\b(?:TABLE|ON|INTO|UPDATE|FROM|JOIN|REFERENCES) parley\./)
  }
})

describe.runIf(hasPostgres)("migrating a server", () => {
  migrateTogether(2)

  it("two schemas of one database, and names in any case, stay apart", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const url = yield* freshPostgres
          const shipped = (yield* Effect.promise(loadMigrations)).map(({ id }) => id)
          for (const schema of ["Parley", "parley", "other"]) {
            const layer = PgDatabaseLayer({ url, schema })
            expect(yield* Effect.provide(migrate(), layer)).toEqual(shipped)
          }
        })
      )
    ))

  it("a name that is no schema's is refused before anything is opened", async () => {
    for (const schema of ['a"b', "a.b", "", "1a", "pg_mine", "x".repeat(46)]) {
      const opening = Effect.runPromise(
        Effect.provide(Database, PgDatabaseLayer({ url: "postgres://nowhere", schema }))
      )
      await expect(opening, schema).rejects.toThrow("cannot name the database schema")
    }
  })
})
