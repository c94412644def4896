import { Context, Effect, Layer } from "effect"
import { Database } from "../src/database/Database.ts"
import { DatabaseOwner } from "../src/database/DatabaseOwner.ts"
import { openRoles } from "../src/database/openRoles.ts"
import type { Driver } from "../src/database/Driver.ts"
import { PgDatabaseLayer } from "../src/database/server/PgDatabase.ts"
import { pgliteDriver } from "../src/database/embedded/PgliteDatabase.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { administer } from "./administer.ts"
import { migratedTemplate } from "./migratedTemplate.ts"
import { preparedPglite } from "./preparedPglite.ts"
import { retire } from "./retiredDatabases.ts"
import { newDatabaseName } from "./templateName.ts"

/** A database to run a suite on: empty but for the migrations, made when the layer is built and gone when it closes. */
export interface TestDatabase {
  readonly name: "PGlite" | "Postgres"
  readonly layer: Layer.Layer<Database | DatabaseOwner>
  /** The same without migrations. */
  readonly empty: Layer.Layer<Database | DatabaseOwner>
}

const serverUrl = process.env["TEST_DATABASE_URL"]

/** Creates a database on the server under test, which is dropped when the scope closes; returns its url. */
export const freshPostgresWith = (options: string) =>
  Effect.gen(function* () {
    const name = newDatabaseName()
    yield* Effect.acquireRelease(
      Effect.promise(() => administer(`CREATE DATABASE ${name} ${options}`)),
      () => Effect.promise(() => retire(name))
    )
    const url = new URL(serverUrl ?? "")
    url.pathname = `/${name}`
    return url.href
  })

export const freshPostgres = freshPostgresWith("")

/** One in which texts sort as in a dictionary. */
export const american = freshPostgresWith("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")

/** A fresh one with every migration: for suites that are not about how they are applied. */
export const migratedPostgres = Effect.flatMap(
  Effect.promise(() => migratedTemplate(serverUrl ?? "")),
  (template) => freshPostgresWith(`TEMPLATE ${template}`)
)

const postgresOn = (url: typeof freshPostgres) =>
  Layer.unwrap(Effect.map(url, (url) => PgDatabaseLayer({ url, maxConnections: 20 })))

/** One PGlite serves a whole test file, since starting one takes seconds; each layer gets a schema of its own in it. */
let shared: Promise<Driver> | undefined
let schemas = 0
const pglite = Layer.effectContext(
  Effect.promise(async () => {
    shared ??= preparedPglite().then(pgliteDriver)
    const roles = openRoles(await shared, `parley_${++schemas}`)
    return Context.make(Database, roles.database).pipe(Context.add(DatabaseOwner, roles.owner))
  })
)

const migrated = <E>(layer: Layer.Layer<Database | DatabaseOwner, E>) =>
  Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(layer), Layer.orDie)

/** True if a real server was promised. It must then answer: a suite fails rather than skips. */
export const hasPostgres = serverUrl !== undefined && serverUrl !== ""

/**
 * The databases of every suite of this package: PGlite always, Postgres if `TEST_DATABASE_URL` names a server. Use it
 * as `for (const { name, layer } of databases) chatStoreContract(name, PgChatStoreLayer.pipe(Layer.provide(layer)))`.
 */
export const databases: ReadonlyArray<TestDatabase> = [
  { name: "PGlite", layer: migrated(pglite), empty: pglite },
  ...(hasPostgres
    ? [{ name: "Postgres" as const, layer: postgresOn(migratedPostgres), empty: postgresOn(freshPostgres) }]
    : [])
]

/** PGlite alone, for contracts that `deployments.test.ts` runs on Postgres. */
export const embedded = databases.filter(({ name }) => name === "PGlite")
