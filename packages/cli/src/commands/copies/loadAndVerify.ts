import { type CopyPart, loadCopy } from "@parley/adapters-db"
import type { Difference } from "@parley/core/adapter"
import { CreditService } from "@parley/core/effect"
import { Console, Effect, type Stream } from "effect"
import { exitCodes } from "../../exitCodes.ts"
import { Unhealthy } from "../../running/commandErrors.ts"

/** The total number of rows of all tables. */
export const rowsOf = (tables: Readonly<Record<string, { readonly rows: number }>>): number =>
  Object.values(tables).reduce((sum, { rows }) => sum + rows, 0)

/**
 * Loads a copy, compares its rows with the source, and recomputes every balance from its rows. Differences that the
 * source already had are printed, and the command fails, although the data is loaded.
 */
export const loadAndVerify = <E, R>(parts: Stream.Stream<CopyPart, E, R>) =>
  Effect.gen(function* () {
    const tables = yield* loadCopy(parts)
    const differences: Array<Difference> = []
    const accounts = yield* CreditService.use((credits) =>
      credits.verify((found) => Effect.sync(() => void differences.push(...found)))
    )
    for (const { invariant, userId } of differences) yield* Console.error(`${userId}: ${invariant}`)
    if (differences.length > 0) return yield* new Unhealthy({ exit: exitCodes.failed })
    return { rows: rowsOf(tables), accounts }
  })
