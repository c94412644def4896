import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"

/** Drops a server's schema; does nothing without a database. */
export const dropSchema = async (url: string, schema: string): Promise<void> => {
  if (url === "") return
  const drop = DatabaseOwner.use(({ asOwner }) =>
    asOwner((sql) =>
      sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
    )
  )
  await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
}
