import { Effect } from "effect"
import { administer } from "./administer.ts"
import { freshPostgres } from "./databases.ts"

/** The login and the database that a url names. */
export const partsOf = (address: string): { readonly login: string; readonly database: string } => {
  const { username, pathname } = new URL(address)
  return { login: decodeURIComponent(username), database: pathname.slice(1) }
}

/**
 * A separate login that owns the database of a url, dropped with the scope; `options` are those of CREATE ROLE. Returns
 * its url.
 */
export const ownerOf = (address: string, options: string) =>
  Effect.gen(function* () {
    const url = new URL(address)
    const { database } = partsOf(address)
    const login = `${database}_login`
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        await administer(`CREATE ROLE ${login} LOGIN NOSUPERUSER NOCREATEROLE ${options}`)
        await administer(`ALTER DATABASE ${database} OWNER TO ${login}`)
      }),
      () =>
        Effect.promise(async () => {
          await administer(`ALTER DATABASE ${database} OWNER TO CURRENT_USER`)
          await administer(`REASSIGN OWNED BY ${login} TO CURRENT_USER; DROP OWNED BY ${login}`, database)
          await administer(`DROP ROLE ${login}`)
        })
    )
    url.username = login
    return url.href
  })

/** Transfers a database to a separate login, which is no superuser and may not create roles. */
export const ordinaryLoginOf = (made: typeof freshPostgres) =>
  Effect.gen(function* () {
    const url = yield* ownerOf(yield* made, "")
    yield* Effect.promise(() => administer(`GRANT parley_user, parley_service TO ${partsOf(url).login}`))
    return url
  })

/** A database that belongs to such a login. */
export const ordinaryLogin = ordinaryLoginOf(freshPostgres)

/** Revokes the default right of PUBLIC to execute functions of the owner of a database. */
export const hardenedBy = (url: string) => {
  const { login, database } = partsOf(url)
  const revoke = `ALTER DEFAULT PRIVILEGES FOR ROLE ${login} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC`
  return Effect.promise(() => administer(revoke, database))
}
