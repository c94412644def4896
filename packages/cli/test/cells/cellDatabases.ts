import { Effect, Exit, Scope } from "effect"
import { bucketOf } from "../../../adapters-db/src/cells/directory/bucketOf.ts"
import { administer } from "../../../adapters-db/test/administer.ts"
import { freshPostgres } from "../../../adapters-db/test/databases.ts"

/** Databases of the server under test, which are dropped at the end. */
export class CellDatabases implements AsyncDisposable {
  readonly urls: ReadonlyArray<string>
  readonly #scope: Scope.Closeable

  private constructor(urls: ReadonlyArray<string>, scope: Scope.Closeable) {
    this.urls = urls
    this.#scope = scope
  }

  static async make(count: number, fresh = freshPostgres): Promise<CellDatabases> {
    const scope = await Effect.runPromise(Scope.make())
    const all = Effect.forEach(Array.from({ length: count }), () => fresh)
    return new CellDatabases(await Effect.runPromise(Effect.provideService(all, Scope.Scope, scope)), scope)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }
}

/** Addresses whose bucket is in the upper half, or in the lower one. */
export const peopleOf = (half: "lower" | "upper", count: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; found.length < count; at += 1) {
    const address = `person${at}@example.com`
    if (bucketOf(address) >= 2_048 === (half === "upper")) found.push(address)
  }
  return found
}

/** Closes a database to connections, and ends those to it. Returns a function that opens it again. */
export const closeDatabase = async (url: string): Promise<() => Promise<void>> => {
  const name = new URL(url).pathname.slice(1)
  await administer([
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
  ])
  return () => administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
}
