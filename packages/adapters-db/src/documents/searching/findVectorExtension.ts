import { Effect, Ref } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import { quoteIdentifier } from "../../database/quoting.ts"

const FIND_EXTENSION = `SELECT nspname AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
  WHERE extname = 'vector'`

/**
 * Makes the function that returns the quoted name of pgvector's schema; undefined if the database has no pgvector. It
 * asks the database on each call until pgvector is found.
 */
export const makeFindVectorExtension = Effect.fnUntraced(function* ({ statementAsUser }: Database["Service"]) {
  const known = yield* Ref.make<string | undefined>(undefined)
  const warned = yield* Ref.make(false)

  return Effect.fnUntraced(function* (userId: string): Effect.fn.Return<string | undefined, DatabaseError> {
    const before = yield* Ref.get(known)
    if (before !== undefined) return before
    const [found] = yield* statementAsUser<{ schema: string }>(userId, FIND_EXTENSION)
    if (found !== undefined) {
      const quoted = quoteIdentifier(found.schema)
      yield* Ref.set(known, quoted)
      return quoted
    }
    if (!(yield* Ref.getAndSet(warned, true))) {
      yield* Effect.logWarning("The database has no pgvector; documents are searched by words alone.")
    }
    return undefined
  })
})

export type FindVectorExtension = Effect.Success<ReturnType<typeof makeFindVectorExtension>>
