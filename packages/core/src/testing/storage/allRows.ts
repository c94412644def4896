import { Effect } from "effect"
import type { Cursor, Page } from "../../storage/Cursor.ts"

/** All rows of a list, read page by page. */
export const allRows = <A, E, R>(
  list: (after: Cursor | undefined) => Effect.Effect<Page<A>, E, R>
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    let after: Cursor | undefined
    do {
      const { next, rows }: Page<A> = yield* list(after)
      all.push(...rows)
      after = next
    } while (after !== undefined)
    return all
  })
