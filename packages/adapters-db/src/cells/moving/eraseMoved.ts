import { instruments } from "@parley/core/adapter"
import { Effect } from "effect"
import type { DatabaseError, Row } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { deleteRows } from "./ownerStates.ts"
import { type Cell, type OwnerTable, ownerTables } from "./ownerTables.ts"

/** The most owners whose rows one call erases: some seconds' work, for which a process that stops waits. */
export const ERASED_AT_ONCE = 250
/** The owners whose rows one transaction erases. */
const PER_TRANSACTION = 50

const tablesOf = ({ database, owner }: Cell) =>
  owner.asOwner((sql) => ownerTables(sql, database.schema, owner.schemaName))

interface EndedMove extends Row {
  readonly target: string
  /** Seconds for which the owner's writes were refused; null for a move that was cancelled. */
  readonly seconds: number | null
}

/** Locks the marks of the owners in a list who have rows to erase. Waits for those that another process erases, or skips them. */
const claim = (
  schema: string,
  locked: "" | "SKIP LOCKED"
) => `UPDATE ${schema}.moved_owners SET writer = pg_current_xact_id()
  WHERE person IN (SELECT m.person FROM ${schema}.moved_owners m
    WHERE m.person = ANY ($1::text[]) AND m.state = 'moved' AND m.remains ORDER BY m.person FOR UPDATE ${locked})
  RETURNING person AS owner, set_config('parley.mover', person, true), set_config('parley.traces', '', true)`

/**
 * Erases the rows of owners who live in another cell; returns their number. Owners who have come back are skipped, and so are
 * those whose rows another process has erased: the duration of each move is recorded once.
 */
const eraseRows = (cell: Cell, tables: ReadonlyArray<OwnerTable>, owners: ReadonlyArray<string>, claimText: string) => {
  const { schema } = cell.database
  const erasing = cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const claimed = (yield* sql.query<Row & { owner: string }>(claimText, [owners])).map(({ owner }) => owner)
      if (claimed.length === 0) return []
      yield* deleteRows(sql, schema, tables, claimed)
      // Checks of the whole transaction run while the writer is known.
      yield* sql.query("SET CONSTRAINTS ALL IMMEDIATE")
      return yield* sql.query<EndedMove>(
        `UPDATE ${schema}.moved_owners SET remains = false, writer = NULL, at = clock_timestamp() WHERE person = ANY ($1::text[])
        RETURNING cell AS target, extract(epoch FROM refused_for)::float8 AS seconds`,
        [claimed]
      )
    })
  )
  return Effect.map(erasing, (ended) => {
    for (const { seconds, target } of ended) {
      if (seconds !== null)
        instruments.cellMoveDuration.record(seconds, { "parley.cell": cell.id, "parley.cell.target": target })
    }
    return ended.length
  })
}

/** The owners that wait longest, in a random order, so that processes which erase at once seldom lock the same owners. */
const oldest = ({ database: { schema, statement } }: Cell, olderThanMs: number) =>
  Effect.map(
    statement<{ owners: ReadonlyArray<string> }>(
      `SELECT coalesce(array_agg(w.person ORDER BY random()), '{}') AS owners FROM (
        SELECT m.person FROM ${schema}.moved_owners m WHERE m.state = 'moved' AND m.remains
          AND m.at <= now() - $1::float8 * interval '1 millisecond' ORDER BY m.at LIMIT ${ERASED_AT_ONCE}) w`,
      [olderThanMs]
    ),
    ([row]) => row?.owners ?? []
  )

/**
 * Erases the rows of owners that have lived in another cell for `olderThanMs`, of up to `ERASED_AT_ONCE` owners; returns
 * their number. Until then they serve calls of servers that have not heard of the move. An owner whose rows cannot be erased
 * delays no other owner.
 */
export const eraseMoved = Effect.fnUntraced(
  function* (cell: Cell, olderThanMs: number) {
    const tables = yield* tablesOf(cell)
    const owners = yield* oldest(cell, olderThanMs)
    const erase = (some: ReadonlyArray<string>) =>
      eraseRows(cell, tables, some, claim(cell.database.schema, "SKIP LOCKED"))
    let [erased, refusal]: [number, DatabaseError | undefined] = [0, undefined]
    for (let at = 0; at < owners.length; at += PER_TRANSACTION) {
      const some = owners.slice(at, at + PER_TRANSACTION)
      const oneByOne = Effect.forEach(some, (owner) =>
        Effect.catchIf(erase([owner]), isRefused, (error) =>
          Effect.as(
            Effect.sync(() => (refusal = error)),
            0
          )
        )
      )
      erased += yield* Effect.catchIf(erase(some), isRefused, () =>
        Effect.map(oneByOne, (counts) => counts.reduce((a, b) => a + b, 0))
      )
    }
    if (erased === 0 && refusal !== undefined) return yield* Effect.fail<DatabaseError>(refusal)
    return erased
  },
  (work) => forPurpose("building")(work)
)

const isRefused = (error: DatabaseError): boolean => !error.retryable

/** The number of owners whose rows wait to be erased. */
export const countLeft = ({ database: { schema, statement } }: Cell) =>
  Effect.map(
    statement<{ owners: number }>(
      `SELECT count(*)::float8 AS owners FROM ${schema}.moved_owners WHERE state = 'moved' AND remains`
    ),
    ([row]) => row?.owners ?? 0
  )

/** Erases what one owner left in a cell, if anything. */
export const eraseLeft = Effect.fnUntraced(function* (cell: Cell, owner: string) {
  const { schema, statement } = cell.database
  const [left] = yield* statement(
    `SELECT 1 FROM ${schema}.moved_owners WHERE person = $1 AND state = 'moved' AND remains`,
    [owner]
  )
  if (left !== undefined) yield* eraseRows(cell, yield* tablesOf(cell), [owner], claim(schema, ""))
})
