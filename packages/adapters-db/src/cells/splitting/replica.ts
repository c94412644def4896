import { Effect } from "effect"
import type { DatabaseError, Row } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import type { Split } from "../directory/splitSql.ts"
import type { Cell } from "../moving/ownerTables.ts"
import { SplitRefused } from "./splitErrors.ts"

/** The row `this_cell` of a database, and whether the database is a replica that follows another one. */
export interface CellState extends Row {
  readonly id: string
  readonly name: string
  readonly copyOf: string | null
  /** The version of the split for which this database, or the one of which it is a copy, has frozen its owners. */
  readonly frozen: number | null
  readonly isReplica: boolean
}

/** Reads the state of a database; undefined if it is no cell. */
export const stateOf = ({ database: { schema, statement } }: Cell) =>
  Effect.map(
    statement<CellState>(
      `SELECT id, name, copy_of AS "copyOf", frozen, pg_is_in_recovery() AS "isReplica" FROM ${schema}.this_cell`
    ),
    ([row]) => row
  ).pipe(forPurpose("maintenance"))

const LOOK = "100 millis"
/** The most looks for a position of the log; a second passes between ten of them. */
const FOLLOW_LOOKS = 100

/** Waits until the replica has a position of the source's log, ten seconds at most; false if it has not. */
const hasPosition = Effect.fnUntraced(function* (source: Cell, target: Cell) {
  const [now] = yield* source.owner.execute("SELECT pg_current_wal_lsn()::text AS position")
  for (let look = 0; look < FOLLOW_LOOKS; look += 1) {
    const [there] = yield* target.owner.execute("SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached", [
      now?.["position"]
    ])
    if (there?.["reached"] === true) return true
    yield* Effect.sleep(LOOK)
  }
  return false
})

/** Fails if the target is no replica of the source that follows it closely, so that the refusal of writes will be short. */
export const checkReplica = Effect.fnUntraced(function* (source: Cell, target: Cell) {
  const refused = (problem: SplitRefused["problem"]) =>
    new SplitRefused({ problem, cell: source.id, target: target.id })
  const [own, copy] = [yield* stateOf(source), yield* stateOf(target)]
  if (own === undefined || own.id !== copy?.id) return yield* refused("not-copy")
  if (!copy.isReplica) return yield* refused("promoted-early")
  if (!(yield* hasPosition(source, target))) return yield* refused("not-following")
})

/** Waits until the copy has the note of the frozen owners; fails if it was promoted without it, or does not follow. */
export const waitForFrozen = Effect.fnUntraced(function* (target: Cell, split: Split) {
  const refused = (problem: SplitRefused["problem"]) =>
    new SplitRefused({ problem, cell: split.source, target: target.id })
  for (let look = 0; look < FOLLOW_LOOKS; look += 1) {
    const copy = yield* stateOf(target)
    if (copy?.frozen === split.version) return
    if (copy?.isReplica === false) return yield* refused("promoted-early")
    yield* Effect.sleep(LOOK)
  }
  return yield* refused("not-following")
})

/** SQLSTATE of a function that the login may not call: `insufficient_privilege`. */
const NOT_ALLOWED = "42501"

/**
 * Promotes the replica. At providers that do not allow it, and if its server restarts meanwhile, this waits until it was
 * promoted in another way; `onWait` runs before the wait.
 */
export const promote = Effect.fnUntraced(function* (target: Cell, onWait: Effect.Effect<void>) {
  const isReplica = Effect.map(
    target.owner.execute("SELECT pg_is_in_recovery() AS replica"),
    ([row]) => row?.["replica"] === true
  ).pipe(Effect.orElseSucceed(() => true))
  if (!(yield* isReplica)) return
  const asked = target.owner.execute("SELECT pg_promote(false)").pipe(
    Effect.as(true),
    Effect.catchIf(
      (error: DatabaseError) => error.sqlState === NOT_ALLOWED,
      () => Effect.succeed(false)
    )
  )
  if (!(yield* asked)) yield* onWait
  while (yield* isReplica) yield* Effect.sleep(LOOK)
})
