/** Copies of cells, and how they become cells of their own. */
import { newUserId } from "@parley/core/testing"
import { Context, Effect, Layer } from "effect"
import pg from "pg"
import { bucketOf } from "../../src/cells/directory/bucketOf.ts"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { administer } from "../administer.ts"
import { freshPostgresWith } from "../databases.ts"
import { cutOff, nameOf } from "./peopleOfCells.ts"

/** A copy of a database, which is dropped when the scope closes; returns its url. */
export const copyOf = (url: string) =>
  Effect.andThen(
    Effect.promise(() => administer(cutOff(nameOf(url)))),
    freshPostgresWith(`TEMPLATE ${nameOf(url)}`)
  )

/** True if an owner lives in the second cell after the division. */
const isInUpperHalf = (owner: string): boolean => bucketOf(owner) >= 2048

/** A new person whose bucket is in one half. */
export const personIn = (half: "lower" | "upper"): string => {
  for (;;) {
    const person = newUserId()
    if (isInUpperHalf(person) === (half === "upper")) return person
  }
}

/** Has a cell refuse the writes of owners who live in another one, and leave their rows out of lists. */
const leave = (owners: ReadonlyArray<string>, cell: string, version: number): ReadonlyArray<string> =>
  owners.flatMap((owner) => [
    `INSERT INTO parley.moved_owners (person, state, cell, version, remains)
     VALUES ('${owner}', 'moved', '${cell}', ${version}, true)`,
    `UPDATE parley.credit_accounts SET moved = true WHERE user_id = '${owner}'`
  ])

/** The rows of a statement in a database. */
export const rowsIn = async (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

export interface Divided {
  /** The database of the cell, which is the global one as well. */
  readonly first: string
  readonly copy: string
  /** The names of the cell, and of the one that its copy becomes. */
  readonly names?: readonly [string, string]
  readonly people: ReadonlyArray<string>
}

const fence = (url: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const services = yield* Layer.build(PgDatabaseLayer({ url, maxConnections: 2 }))
        yield* enableFence({
          id: "copy",
          database: Context.get(services, Database),
          owner: Context.get(services, DatabaseOwner)
        })
      })
    )
  )

/** Makes the copy of a cell another one, in which the people of the upper half of the buckets live from then on. */
export const divide = async ({
  copy,
  first,
  names: [name, other] = ["first", "second"],
  people
}: Divided): Promise<void> => {
  await fence(copy)
  const [ofFirst, ofCopy] = [new pg.Client(first), new pg.Client(copy)]
  await Promise.all([ofFirst.connect(), ofCopy.connect()])
  try {
    const { rows } = await ofFirst.query("SELECT version + 1 AS version FROM parley.directory")
    const version = Number(rows[0].version)
    const [lower, upper] = [people.filter((owner) => !isInUpperHalf(owner)), people.filter(isInUpperHalf)]
    // A job of an owner who lives elsewhere would be in the way of the others.
    await ofCopy.query("DELETE FROM parley_boss.job WHERE group_id = ANY($1)", [lower])
    for (const statement of leave(lower, name, version)) await ofCopy.query(statement)
    for (const statement of leave(upper, other, version)) await ofFirst.query(statement)
    const named = await ofCopy.query("UPDATE parley.this_cell SET id = gen_random_uuid(), name = $1 RETURNING id", [
      other
    ])
    await ofFirst.query("BEGIN")
    await ofFirst.query("INSERT INTO parley.cells (name, database_id) VALUES ($1, $2)", [other, named.rows[0].id])
    await ofFirst.query("UPDATE parley.directory SET version = $1", [version])
    const half = [other, version]
    await ofFirst.query("UPDATE parley.cell_buckets SET cell = $1, version = $2 WHERE bucket >= 2048", half)
    await ofFirst.query("COMMIT")
  } finally {
    await Promise.all([ofFirst.end(), ofCopy.end()])
  }
}
