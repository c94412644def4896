import { Effect, Schedule } from "effect"
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
  /** The version of the split whose owners stand still, in this database or in the one of which it is a copy. */
  readonly frozen: number | null
  readonly isReplica: boolean
  /** The server, by its start, and the database on it: a replica differs from its source. */
  readonly server: string
}

/** The columns of `this_cell`. */
export const STATE = `id, name, copy_of AS "copyOf", frozen, pg_is_in_recovery() AS "isReplica",
  (SELECT concat_ws(' ', oid, extract(epoch FROM pg_postmaster_start_time())) FROM pg_database
    WHERE datname = current_database()) AS server`

/** Reads the state of a database; undefined if it is no cell. */
export const stateOf = ({ database: { schema, statement } }: Cell) =>
  Effect.map(statement<CellState>(`SELECT ${STATE} FROM ${schema}.this_cell`), ([row]) => row).pipe(
    forPurpose("maintenance")
  )

const LOOK = "100 millis"

/** Looks again until the answer is true, for some ten seconds; returns the last answer. */
const within = <E>(look: Effect.Effect<boolean, E>) =>
  Effect.repeat(look, { until: (found) => found, times: 100, schedule: Schedule.spaced(LOOK) })

/** True if the replica reaches the present position of the source's log within ten seconds. */
const reachesPosition = Effect.fnUntraced(function* (source: Cell, target: Cell) {
  const [now] = yield* source.owner.execute("SELECT pg_current_wal_lsn()::text AS position")
  const reached = target.owner.execute("SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached", [now?.["position"]])
  return yield* within(Effect.map(reached, ([row]) => row?.["reached"] === true))
})

/** Fails if the target is not a replica of the source, or is far behind it: owners could then not write for long. */
export const checkReplica = Effect.fnUntraced(function* (source: Cell, target: Cell) {
  const refused = (problem: SplitRefused["problem"]) =>
    new SplitRefused({ problem, cell: source.id, target: target.id })
  const [own, copy] = [yield* stateOf(source), yield* stateOf(target)]
  if (own === undefined || own.id !== copy?.id) return yield* refused("not-copy")
  if (!copy.isReplica) return yield* refused("promoted-early")
  if (!(yield* reachesPosition(source, target))) return yield* refused("not-following")
})

/**
 * Waits until the copy has the version of the split in `this_cell.frozen`. Fails if the copy was promoted without it, or does
 * not receive it within ten seconds.
 */
export const waitForFrozen = Effect.fnUntraced(function* (target: Cell, split: Split) {
  const refused = (problem: SplitRefused["problem"]) =>
    new SplitRefused({ problem, cell: split.source, target: target.id })
  const look = Effect.gen(function* () {
    const copy = yield* stateOf(target)
    if (copy?.frozen === split.version) return true
    return copy?.isReplica === false ? yield* refused("promoted-early") : false
  })
  if (!(yield* within(look))) return yield* refused("not-following")
})

/** Fails if both connection strings name one database: the source would be made the copy, and lose the rows of all others. */
export const checkApart = Effect.fnUntraced(function* (source: Cell, target: Cell) {
  const [own, copy] = [yield* stateOf(source), yield* stateOf(target)]
  if (own === undefined || own.server === copy?.server)
    return yield* new SplitRefused({ problem: "not-copy", cell: source.id, target: target.id })
  return own.id
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
