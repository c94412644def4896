import { Effect, Result } from "effect"
import { checkReadiness, DatabaseNotReady } from "../../readiness.ts"
import { Databases, inDatabase, type NamedDatabase } from "../Databases.ts"
import { checkCell } from "./identifyCell.ts"

/** A database that is not the cell of its name is not ready. */
const checkName = (cell: NamedDatabase, limitMs = 2_000) =>
  checkCell(cell).pipe(
    Effect.timeoutOption(limitMs),
    Effect.mapError((cause) => new DatabaseNotReady({ problem: "unreachable", explanation: cause.message, cause }))
  )

/**
 * The names of the cells that do not answer within the limit (milliseconds; 2,000 unless given), or are not ready
 * otherwise; none if there is a single database. Fails if the global database or every cell is not ready.
 */
export const absentCells = (limitMs?: number): Effect.Effect<ReadonlyArray<string>, DatabaseNotReady, Databases> =>
  Effect.gen(function* () {
    const { cells, global } = yield* Databases
    const check = checkReadiness(limitMs)
    if (cells === undefined) return yield* Effect.as(inDatabase(global, check), [])
    const all = [...cells.byName.values()]
    const checkBoth = (cell: NamedDatabase) => Effect.andThen(inDatabase(cell, check), checkName(cell, limitMs))
    const results = yield* Effect.forEach(all, (cell) => Effect.result(checkBoth(cell)), {
      concurrency: "unbounded"
    })
    const absent = all.flatMap(({ name }, at) =>
      Result.isFailure(results[at] as (typeof results)[number]) ? [name] : []
    )
    if (!cells.byName.has(global.name)) yield* inDatabase(global, check)
    else if (absent.includes(global.name))
      yield* Effect.fromResult(results[all.indexOf(global)] as (typeof results)[number])
    const [first] = results
    if (absent.length < all.length || first === undefined || Result.isSuccess(first)) return absent
    const { problem } = first.failure
    return yield* new DatabaseNotReady({
      problem,
      explanation: `No cell is ready: ${absent.join(", ")}.`,
      cause: first.failure
    })
  })
