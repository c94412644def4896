import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import { bucketSql } from "../directory/bucketOf.ts"
import type { PlacementRow } from "../directory/directorySql.ts"
import type { Split } from "../directory/splitSql.ts"
import { everyOwner } from "../moving/everyOwner.ts"
import { waitForRunning } from "../moving/fence.ts"
import { OwnerBusy } from "../moving/moveErrors.ts"
import type { Cell } from "../moving/ownerTables.ts"
import { SplitRefused } from "./splitErrors.ts"

/** The most time to wait for transactions of the source. */
const PATIENCE_MS = 5_000
/** The accounts that one transaction fences: their writers wait for its end, and are refused then. */
const ACCOUNTS_AT_ONCE = 5_000

/**
 * Marks all owners of the buckets as leaving, and the buckets as lost, in one transaction. From its commit on, the fence refuses
 * writes of their rows, and first rows of new owners of the buckets. Owners who are placed by name stay. If the directory
 * places them here, they get the mark "home": a move that was refused places its owner without a mark. A second call marks the
 * owners whose first row was committed after the first call had read the tables. Returns the number of new marks.
 */
const markLeaving = (source: Cell, split: Split, placed: ReadonlyArray<PlacementRow>) =>
  source.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const { schema } = source.database
      const { buckets, target, version } = split
      yield* sql.query(
        `INSERT INTO ${schema}.lost_buckets AS l (bucket, version) SELECT unnest($1::smallint[]), $2
         ON CONFLICT (bucket) DO UPDATE SET version = greatest(l.version, excluded.version), at = now()`,
        [buckets, version]
      )
      const here = placed.filter(({ cell }) => cell === source.id)
      yield* sql.query(
        `INSERT INTO ${schema}.moved_owners (person, state, cell, version)
         SELECT p.person, 'home', $3, p.version FROM unnest($1::text[], $2::bigint[]) AS p(person, version)
         WHERE NOT starts_with(p.person, 'erased:') ON CONFLICT DO NOTHING`,
        [here.map(({ owner }) => owner), here.map(({ version: since }) => since), source.id]
      )
      const [marked] = yield* sql.query<Row & { count: number }>(
        `WITH marked AS (INSERT INTO ${schema}.moved_owners AS m (person, state, cell, version)
         SELECT p.person, 'leaving', $1, $2 FROM (${yield* everyOwner(sql, source)}) p
         WHERE NOT starts_with(p.person, 'erased:')
           AND ${bucketSql("p.person")} = ANY ($3::integer[]) AND p.person <> ALL ($4::text[])
         ON CONFLICT (person) DO UPDATE SET cell = excluded.cell, version = excluded.version, at = now()
           WHERE m.state = 'leaving' AND m.version < excluded.version RETURNING 1) SELECT count(*)::integer AS count FROM marked`,
        [target, version, buckets, placed.map(({ owner }) => owner)]
      )
      return marked?.count ?? 0
    })
  )

/**
 * Refuses writes of the accounts, by the locks of their rows. A writer that held a lock before has ended, so its rows of the
 * ledger, which have no fence of their own, are committed. Accounts are locked in the order in which replies lock them.
 */
const fenceAccounts = ({ database: { schema }, owner }: Cell) =>
  Effect.gen(function* () {
    for (let after = ""; ;) {
      const [fenced] = yield* owner.asOwner((sql) =>
        sql.query<Row & { count: number; last: string | null }>(
          `WITH page AS MATERIALIZED (
             SELECT m.person FROM ${schema}.moved_owners m WHERE m.state = 'leaving' AND m.person > $1
             ORDER BY m.person LIMIT ${ACCOUNTS_AT_ONCE}
           ), locked AS MATERIALIZED (
             SELECT a.user_id FROM page p JOIN ${schema}.credit_accounts a ON a.user_id = p.person
             ORDER BY a.user_id FOR UPDATE OF a
           ), fenced AS (
             UPDATE ${schema}.credit_accounts a SET moved = true FROM locked l WHERE l.user_id = a.user_id AND a.moved IS NULL
           ) SELECT count(*)::integer AS count, max(person) AS last FROM page`,
          [after]
        )
      )
      if (fenced === undefined || fenced.count < ACCOUNTS_AT_ONCE || fenced.last === null) return
      after = fenced.last
    }
  })

/** True while a CRM connection of the buckets is being renewed: the vendor's new secret could not be stored. */
const isRenewing = ({ database: { schema, statement } }: Cell, { buckets }: Split) =>
  Effect.map(
    statement(
      `SELECT FROM ${schema}.crm_connections c
       WHERE c.lease_until > now() AND ${bucketSql("c.user_id")} = ANY ($1::integer[]) LIMIT 1`,
      [buckets]
    ),
    ({ length }) => length > 0
  )

const waitForTransactions = (source: Cell) =>
  Effect.flatMap(waitForRunning(source, PATIENCE_MS), (ended) =>
    ended ? Effect.void : Effect.fail(new OwnerBusy({ work: "transaction" }))
  )

/**
 * Repeats the marks until a call adds none. Before each call it waits for the transactions that run, because such a
 * transaction may write the first row of an owner. Therefore one call is not enough, even if it has marked no owner.
 */
const markAll = Effect.fnUntraced(function* (source: Cell, split: Split, placed: ReadonlyArray<PlacementRow>) {
  // If a long transaction runs, such as a backup, the split fails here, before it refuses any write.
  yield* waitForTransactions(source)
  yield* markLeaving(source, split, placed)
  for (let added = 1; added > 0;) {
    yield* waitForTransactions(source)
    added = yield* markLeaving(source, split, placed)
  }
})

/**
 * Stops all writes of the owners who leave, and then writes the version of the split into `this_cell.frozen`. A copy with this
 * version has all of their rows. Returns the number of owners. The new cell runs their running jobs and deliveries again, as
 * after the end of a worker. The function can be repeated.
 */
export const freezeOwners = Effect.fnUntraced(function* (
  source: Cell,
  split: Split,
  placed: ReadonlyArray<PlacementRow>
) {
  const { schema } = source.database
  const renewing = Effect.flatMap(isRenewing(source, split), (is) =>
    is ? Effect.fail(new OwnerBusy({ work: "connection" })) : Effect.void
  )
  yield* renewing
  yield* markAll(source, split, placed)
  yield* renewing
  yield* fenceAccounts(source)
  const frozen = yield* source.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const noted = yield* sql.query(
        `UPDATE ${schema}.this_cell SET frozen = $1 WHERE coalesce(frozen, 0) <= $1 RETURNING frozen`,
        [split.version]
      )
      // A later split has begun. The version of this split would replace its version.
      if (noted.length === 0)
        return yield* new SplitRefused({ problem: "cancelled", cell: source.id, target: split.target })
      return yield* sql.query<Row & { count: number }>(
        `SELECT count(*)::integer AS count FROM ${schema}.moved_owners WHERE state = 'leaving' AND version = $1`,
        [split.version]
      )
    })
  )
  return frozen[0]?.count ?? 0
})
