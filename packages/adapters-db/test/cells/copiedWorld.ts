/** A cell that is split by a copy of its database on the same server, which stands for the promoted replica. */
import { Effect, type Scope } from "effect"
import { moveSql } from "../../src/cells/directory/moveSql.ts"
import { splitSql } from "../../src/cells/directory/splitSql.ts"
import type { Cell } from "../../src/cells/moving/ownerTables.ts"
import { administer } from "../administer.ts"
import { migratedPostgres } from "../databases.ts"
import { retire } from "../retiredDatabases.ts"
import { newDatabaseName } from "../templateName.ts"
import { cellOn, openServer } from "./movingOwners.ts"
import { cutOff, nameOf } from "./peopleOfCells.ts"
import { prepared, type SplitWorld, UPPER } from "./splitWorld.ts"

/** A replica of the source that follows it without a delay, until it is promoted: then it is a copy of that moment. */
const replicaOf = (source: Cell, copy: Cell, promote: Effect.Effect<void>): Cell => {
  let isPromoted = false
  const present = () => (isPromoted ? copy : source)
  const execute: Cell["owner"]["execute"] = (text, params) => {
    if (text.includes("pg_last_wal_replay_lsn")) return Effect.succeed([{ reached: true }])
    if (text.includes("pg_is_in_recovery")) return Effect.sync(() => [{ replica: !isPromoted }])
    if (!text.includes("pg_promote")) return present().owner.execute(text, params)
    const done = Effect.sync(() => void (isPromoted = true))
    return Effect.as(Effect.andThen(promote, done), [])
  }
  const statement = ((text: string, params?: ReadonlyArray<unknown>) =>
    Effect.suspend(() =>
      present().database.statement(isPromoted ? text : text.replace("pg_is_in_recovery()", "true"), params)
    )) as Cell["database"]["statement"]
  return {
    id: copy.id,
    database: { ...copy.database, statement },
    owner: { ...copy.owner, execute }
  }
}

/** The database of a cell that does not exist yet, and the cell as a replica of the source. */
export const replicaOn = Effect.fnUntraced(function* (source: Cell, sourceUrl: string, id: string) {
  const [from, name] = [nameOf(sourceUrl), newDatabaseName()]
  yield* Effect.addFinalizer(() => Effect.promise(() => retire(name)))
  const url = new URL(sourceUrl)
  url.pathname = `/${name}`
  const copy = yield* cellOn(id, url.href, 4)
  const copying = Effect.promise(() =>
    administer([
      `ALTER DATABASE ${from} ALLOW_CONNECTIONS false`,
      cutOff(from),
      `CREATE DATABASE ${name} TEMPLATE ${from}`,
      `ALTER DATABASE ${from} ALLOW_CONNECTIONS true`,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`
    ])
  )
  return { copy, url: url.href, replica: replicaOf(source, copy, copying) }
})

/**
 * The cell "a", which is also the global database unless that is another one, and "b", which is a copy of it from the
 * promotion on.
 */
export const openCopiedWorld = (
  servers: number,
  { hasGlobal = false, refreshMs }: { readonly hasGlobal?: boolean; readonly refreshMs?: number } = {}
): Effect.Effect<SplitWorld, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const a = yield* migratedPostgres
    const other = hasGlobal ? { global: yield* migratedPostgres } : {}
    const global = other.global === undefined ? undefined : yield* cellOn("global", other.global, 4)
    const source = yield* prepared(a, global)
    const { copy, replica: target, url: b } = yield* replicaOn(source, a, "b")
    const urls = { a, b, ...other }
    const shared = (global ?? source).database
    const directory = moveSql(shared)
    return {
      cells: [source, copy],
      directory,
      servers: yield* Effect.forEach(Array(servers).keys(), () => openServer(urls, refreshMs)),
      urls,
      split: { source, target, buckets: UPPER, directory, splits: splitSql(shared) }
    }
  })
