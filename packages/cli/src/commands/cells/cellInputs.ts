import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { UsageMistake } from "../../running/commandErrors.ts"

/** The number of buckets of the directory. */
const BUCKETS = 4_096

/** The cell a command is about. */
export const cellArgument = Argument.String("cell").pipe(
  Argument.withDescription("The name of the cell, as PARLEY_CELLS has it")
)

/** The cell to which people are moved. */
export const toFlag = Flag.String("to").pipe(Flag.withDescription("The name of the cell that takes them"))

const NOT_BUCKETS = `--buckets takes numbers from 0 to ${BUCKETS - 1} and ranges of them, such as 0-2047,3000.`

const rangeOf = (text: string): ReadonlyArray<number> | undefined => {
  const [, from, to] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(text.trim()) ?? []
  if (from === undefined) return undefined
  const [first, last] = [Number(from), Number(to ?? from)]
  return first <= last && last < BUCKETS ? Array.from({ length: last - first + 1 }, (_, at) => first + at) : undefined
}

/** The buckets of a text such as `0-2047,3000`, each once and in order. */
export const readBuckets = (text: string): Effect.Effect<ReadonlyArray<number>, UsageMistake> => {
  const ranges = text.split(",").map(rangeOf)
  return ranges.includes(undefined)
    ? Effect.fail(new UsageMistake({ problem: NOT_BUCKETS }))
    : Effect.succeed([...new Set(ranges.flatMap((range) => range ?? []))].toSorted((one, other) => one - other))
}

/** Fails if there is one database, without cells. */
export const requireCells = Effect.gen(function* () {
  const { Databases } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const { cells } = yield* Databases
  if (cells !== undefined) return cells
  return yield* new UsageMistake({
    problem: "There are no cells: all people are in one database. Set PARLEY_CELLS (docs/deploy/cells.md)."
  })
})
