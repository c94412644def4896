import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { bucketSql } from "../directory/bucketOf.ts"
import type { BucketPlace, MoveSql } from "../directory/moveSql.ts"
import { copyAccess } from "./copyAccess.ts"
import { fencedTables, unfenced, waitForRunning } from "./fence.ts"
import { AssignRefused, MoveRefused, OwnerBusy } from "./moveErrors.ts"
import type { Cell } from "./ownerTables.ts"

type Directory = Pick<MoveSql, "buckets" | "checkOpen" | "replace" | "replaceBuckets">

/** The most time to wait for transactions of a cell that loses buckets. */
const PATIENCE_MS = 5_000
/** The time between two signs of life of an assignment; well below the age at which servers end one. */
const YOUNG_MS = 20_000
/** The most owners that a refusal names. */
const NAMED = 10

type Kind = "people" | "pseudonyms"

/**
 * The people, or the pseudonyms of erased people, with rows in a cell that live there by their bucket alone: neither moved
 * away, nor at home there by name. The first few people in the order of their names, or all pseudonyms.
 */
const ownersIn = (cell: Cell, buckets: ReadonlyArray<number>, kind: Kind) =>
  cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const { schema } = cell.database
      const { missing, tables } = yield* fencedTables(sql, cell)
      if (missing.length > 0) return yield* new MoveRefused({ problem: "no-fence", names: unfenced(missing) })
      const owners = tables.flatMap(({ ownerColumn, sqlName }) =>
        ownerColumn === null ? [] : [`SELECT DISTINCT ${ownerColumn} AS person FROM ${sqlName}`]
      )
      const rows = yield* sql.query<Row & { person: string }>(
        `SELECT o.person FROM (${owners.join(" UNION ")}) o
        WHERE ${bucketSql("o.person")} = ANY ($1::int[]) AND o.person <> 'parley:no-person'
          AND starts_with(o.person, 'erased:') = $2
          AND NOT EXISTS (SELECT FROM ${schema}.moved_owners m WHERE m.person = o.person AND m.state IN ('home', 'moved'))
        ORDER BY o.person LIMIT $3`,
        [buckets, kind === "pseudonyms", kind === "people" ? NAMED : null]
      )
      return rows.map(({ person }) => person)
    })
  )

const numbers = (places: ReadonlyArray<BucketPlace>) => places.map(({ bucket }) => bucket)

/** Has a cell refuse new owners of buckets that it is to lose. */
const fenceBuckets = ({ database: { schema }, owner }: Cell, places: ReadonlyArray<BucketPlace>) =>
  owner.asOwner((sql) =>
    sql.query(
      `INSERT INTO ${schema}.lost_buckets AS l (bucket, version) SELECT * FROM unnest($1::smallint[], $2::bigint[])
      ON CONFLICT (bucket) DO UPDATE SET version = greatest(l.version, excluded.version), at = now()`,
      [numbers(places), places.map(({ version }) => version)]
    )
  )

/** Has the fences of an assignment stay young while it runs, so that no other process takes it for an interrupted one. */
const keepYoung = (cells: ReadonlyMap<string, Cell>, losing: ReadonlyArray<BucketPlace>) =>
  Effect.gen(function* () {
    for (const { cell, places } of losers(cells, losing)) {
      if (cell === undefined) continue
      const { schema } = cell.database
      yield* Effect.ignore(
        cell.owner.asOwner((sql) =>
          sql.query(`UPDATE ${schema}.lost_buckets SET at = now() WHERE bucket = ANY ($1::smallint[])`, [
            numbers(places)
          ])
        )
      )
    }
  }).pipe(forPurpose("maintenance"), Effect.delay(YOUNG_MS), Effect.forever)

/**
 * Has a cell accept new owners of buckets that it has, by the directory, and remember the version. A later loss stays.
 */
const openBuckets = ({ database: { schema }, owner }: Cell, places: ReadonlyArray<BucketPlace>) =>
  owner.asOwner((sql) =>
    sql.query(
      `WITH opened AS (
        DELETE FROM ${schema}.lost_buckets l USING unnest($1::smallint[], $2::bigint[]) AS p(bucket, version)
        WHERE p.bucket = l.bucket AND l.version < p.version
      ) UPDATE ${schema}.this_cell SET seen = greatest(seen, (SELECT max(v) FROM unnest($2::bigint[]) v))`,
      [numbers(places), places.map(({ version }) => version)]
    )
  )

/** Has a cell that has lost buckets remember the version, so that it notices a directory from before the loss. */
const noteLost = ({ database: { schema }, owner }: Cell, places: ReadonlyArray<BucketPlace>) =>
  owner.asOwner((sql) =>
    sql.query(`UPDATE ${schema}.this_cell SET seen = greatest(seen, $1::bigint)`, [
      Math.max(0, ...places.map(({ version }) => version))
    ])
  )

/** Has every cell accept new owners of those of the buckets that the directory gives it. */
const settleBuckets = Effect.fnUntraced(function* (
  directory: Directory,
  cells: ReadonlyMap<string, Cell>,
  buckets: ReadonlyArray<number>
) {
  for (const [name, places] of Map.groupBy(yield* directory.buckets(buckets), ({ cell }) => cell)) {
    const cell = cells.get(name)
    if (cell !== undefined) yield* openBuckets(cell, places)
  }
})

/** Fails if a cell that would lose buckets has owners in them. */
const checkOwners = (cell: Cell, places: ReadonlyArray<BucketPlace>) =>
  Effect.flatMap(ownersIn(cell, numbers(places), "people"), (owners) =>
    owners.length === 0 ? Effect.void : Effect.fail(new AssignRefused({ cell: cell.id, problem: "has-owners", owners }))
  )

/** Places pseudonyms of erased people by name where their rows are: those do not move with their bucket. */
const keepPseudonyms = (directory: Directory, cell: Cell, places: ReadonlyArray<BucketPlace>) =>
  Effect.flatMap(ownersIn(cell, numbers(places), "pseudonyms"), (pseudonyms) =>
    Effect.forEach(pseudonyms, (pseudonym) => directory.replace(pseudonym, 0, cell.id), { discard: true })
  )

const losers = function* (cells: ReadonlyMap<string, Cell>, losing: ReadonlyArray<BucketPlace>) {
  for (const [name, places] of Map.groupBy(losing, (place) => place.cell)) yield { cell: cells.get(name), name, places }
}

/**
 * Has each cell that loses buckets refuse their new owners, and makes sure that it has none. Blocks and sign-outs of people
 * without rows go to the new cell.
 */
const leave = Effect.fnUntraced(function* (
  directory: Directory,
  cells: ReadonlyMap<string, Cell>,
  to: Cell,
  losing: ReadonlyArray<BucketPlace>
) {
  for (const { cell, name, places } of losers(cells, losing)) {
    if (cell === undefined) return yield* new AssignRefused({ cell: name, problem: "not-configured", owners: [] })
    const check = checkOwners(cell, places)
    // The check runs before the change, so that a refused assignment delays no person, and after it, because new owners may
    // have been added meanwhile.
    yield* check
    yield* fenceBuckets(cell, places)
    if (!(yield* waitForRunning(cell, PATIENCE_MS))) return yield* new OwnerBusy({ work: "transaction" })
    yield* check
    yield* keepPseudonyms(directory, cell, places)
    yield* copyAccess(cell, to, { buckets: numbers(places) })
  }
})

/** The cell that is to get buckets, and those of them that other cells have. */
const planned = Effect.fnUntraced(function* (
  directory: Directory,
  cells: ReadonlyMap<string, Cell>,
  to: string,
  buckets: ReadonlyArray<number>
) {
  yield* directory.checkOpen(to)
  const target = cells.get(to)
  if (target === undefined) return yield* new AssignRefused({ cell: to, problem: "not-configured", owners: [] })
  return { target, losing: (yield* directory.buckets(buckets)).filter(({ cell }) => cell !== to) }
})

/**
 * Gives buckets to a cell. A cell that loses some of them refuses their new owners from then on: also a server that has
 * not heard of the change opens no account in the wrong cell. It is refused if a bucket has owners with rows; move these
 * before. The versions of the buckets make it repeatable, and of two at once one is refused.
 */
export const assignBuckets = (
  directory: Directory,
  cells: ReadonlyMap<string, Cell>,
  to: string,
  buckets: ReadonlyArray<number>
) =>
  Effect.gen(function* () {
    const { losing, target } = yield* planned(directory, cells, to, buckets)
    const giving = Effect.gen(function* () {
      yield* leave(directory, cells, target, losing)
      if (!(yield* directory.replaceBuckets(losing, () => to)))
        return yield* new AssignRefused({ cell: to, problem: "superseded", owners: [] })
    })
    // A cancellation raises the versions, so that the fences of this try are older.
    const cancel = directory.replaceBuckets(losing, ({ cell }) => cell)
    if (losing.length > 0)
      yield* Effect.tapError(Effect.raceFirst(giving, keepYoung(cells, losing)), () =>
        Effect.ignore(Effect.andThen(cancel, settleBuckets(directory, cells, buckets)))
      )
    const lost = yield* directory.buckets(numbers(losing))
    for (const { cell } of losers(cells, losing)) if (cell !== undefined) yield* noteLost(cell, lost)
    yield* settleBuckets(directory, cells, buckets)
  }).pipe(forPurpose("building"))

/** Fails if the buckets cannot be given to the cell at the moment. Changes nothing. */
export const checkAssignment = (
  directory: Directory,
  cells: ReadonlyMap<string, Cell>,
  to: string,
  buckets: ReadonlyArray<number>
) =>
  Effect.gen(function* () {
    const { losing } = yield* planned(directory, cells, to, buckets)
    for (const { cell, name, places } of losers(cells, losing)) {
      if (cell === undefined) return yield* new AssignRefused({ cell: name, problem: "not-configured", owners: [] })
      yield* checkOwners(cell, places)
    }
  }).pipe(forPurpose("building"))

/**
 * Ends assignments that were interrupted at least `olderThanMs` ago: a cell that has a bucket, by the directory, accepts
 * its new owners again.
 */
export const finishAssignments = Effect.fnUntraced(function* (directory: Directory, cell: Cell, olderThanMs: number) {
  const lost = yield* cell.database.statement<{ bucket: number; version: number }>(
    `SELECT bucket::integer AS bucket, version FROM ${cell.database.schema}.lost_buckets
    WHERE at <= now() - $1::float8 * interval '1 millisecond'`,
    [olderThanMs]
  )
  if (lost.length === 0) return
  const own = (yield* directory.buckets(lost.map(({ bucket }) => bucket))).filter((place) => place.cell === cell.id)
  if (own.length === 0) return
  yield* directory.replaceBuckets(own, () => cell.id)
  const opened = (yield* directory.buckets(numbers(own))).filter((place) => place.cell === cell.id)
  yield* openBuckets(cell, opened)
})
