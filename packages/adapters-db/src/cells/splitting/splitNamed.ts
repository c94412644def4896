import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { configuredCell } from "../administration/addCell.ts"
import { foundIn } from "../administration/identifyCell.ts"
import { onCell } from "../administration/onCell.ts"
import { cellOf, Databases, type OpenedCells } from "../Databases.ts"
import { bucketSql } from "../directory/bucketOf.ts"
import { moveSql } from "../directory/moveSql.ts"
import { splitSql } from "../directory/splitSql.ts"
import { everyOwner } from "../moving/everyOwner.ts"
import type { Cell } from "../moving/ownerTables.ts"
import { checkSplit, isEnded, splitCell, type SplitInput, type SplitStep } from "./splitCell.ts"
import { SplitRefused } from "./splitErrors.ts"

export interface SplitNamedInput {
  readonly from: string
  readonly to: string
  /** The buckets that the new cell takes; the upper half of what the cell has unless given. */
  readonly buckets: ReadonlyArray<number> | undefined
  /** Checks and counts, and changes nothing. */
  readonly dryRun: boolean
  readonly onStep: (step: SplitStep) => Effect.Effect<void>
  readonly onWait: Effect.Effect<void>
}

/** The number of people with rows in the buckets. */
const countPeople = (cell: Cell, buckets: ReadonlyArray<number>) =>
  cell.owner
    .asOwner((sql) =>
      Effect.gen(function* () {
        const [row] = yield* sql.query<Row & { count: number }>(
          `SELECT count(*)::integer AS count FROM (${yield* everyOwner(sql, cell)}) p
         WHERE NOT starts_with(p.person, 'erased:') AND ${bucketSql("p.person")} = ANY ($1::integer[])`,
          [buckets]
        )
        return row?.count ?? 0
      })
    )
    .pipe(forPurpose("building"))

/** The upper half of the buckets that a cell has. */
const upperHalf = ({ sql }: OpenedCells, cell: string) =>
  Effect.map(sql.read(0, 1), ({ buckets }) => {
    const own = [...buckets.keys()].filter((bucket) => buckets[bucket] === cell)
    return own.slice(Math.ceil(own.length / 2))
  })

/** The splits under way, or interrupted. */
export const splitsUnderWay = Effect.flatMap(Databases, ({ cells, global }) =>
  cells === undefined ? Effect.succeed([]) : onCell(global, splitSql(cellOf(global).database).underWay)
)

/** Returns the databases of a split. From now on, connections to the target are refused unless it is a copy of the source. */
const openSplit = Effect.fnUntraced(function* (cells: OpenedCells, { buckets, from, to }: SplitNamedInput) {
  const { global } = yield* Databases
  const [source, target] = [yield* configuredCell(cells, from), yield* configuredCell(cells, to)]
  const identity = yield* foundIn(source)
  if (identity === undefined || source === target)
    return yield* new SplitRefused({ problem: "not-copy", cell: from, target: to })
  target.expected?.expectCopyOf(identity)
  const { database } = cellOf(global)
  return {
    source: cellOf(source),
    target: cellOf(target),
    directory: moveSql(database),
    splits: splitSql(database),
    buckets: buckets ?? (yield* upperHalf(cells, from))
  } satisfies SplitInput
})

/**
 * Splits a cell of a program. The configuration names its replica as the new cell, which takes half of the people, or those of
 * some buckets. `onBegin` runs before the first change. Returns the numbers of buckets and people; `isEnded` is true if an
 * earlier split has made the target a cell. Fails with `SplitRefused`, `OwnerBusy`, `CellRefused` or `DatabaseError`. The people
 * then live where they did before.
 */
export const splitNamed = Effect.fnUntraced(function* <E, R>(
  input: SplitNamedInput & { readonly onBegin: Effect.Effect<void, E, R> }
) {
  const { cells } = yield* Databases
  const nothing = { buckets: 0, people: 0, isEnded: true }
  if (cells === undefined) return nothing
  const split = yield* openSplit(cells, input)
  if (yield* isEnded(split)) return yield* Effect.as(input.dryRun ? Effect.void : splitCell(split), nothing)
  const [known] = (yield* split.splits.underWay).filter(({ source }) => source === input.from)
  const buckets = known?.target === input.to ? known.buckets : split.buckets
  if (input.buckets !== undefined && JSON.stringify(input.buckets) !== JSON.stringify(buckets))
    return yield* new SplitRefused({ problem: "not-buckets", cell: input.from, target: input.to })
  const people = yield* countPeople(split.source, buckets)
  const facts = { buckets: buckets.length, people, isEnded: false }
  if (input.dryRun) return yield* Effect.as(known === undefined ? checkSplit(split) : Effect.void, facts)
  yield* input.onBegin
  yield* splitCell({ ...split, onStep: input.onStep, onWait: input.onWait })
  yield* Effect.ignore(cells.directory.refresh)
  return facts
})
