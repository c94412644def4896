import {
  type BeginGeneration,
  type DocumentKey,
  type Generation,
  GenerationGone,
  INDEXING_VERSION,
  searchLanguageOf,
  storableText
} from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError, Sql } from "../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"
import { headingsValue } from "./headingsValue.ts"
import { textParts } from "./textParts.ts"

const FOREIGN_KEY_VIOLATION = "23503"

export const generationGone = ({ documentId }: DocumentKey) => new GenerationGone({ documentId })

/** The first parameters of most statements. */
export const generationParams = ({ userId, documentId, generation }: Generation): ReadonlyArray<unknown> => [
  userId,
  documentId,
  generation
]

/** What is written beside a generation's row: without the row, there is no generation. */
export const orGone = <A>(
  generation: Generation,
  written: Effect.Effect<A, DatabaseError>
): Effect.Effect<A, DatabaseError | GenerationGone> =>
  Effect.catchIf(
    written,
    ({ sqlState }) => sqlState === FOREIGN_KEY_VIOLATION,
    () => generationGone(generation)
  )

const lockDocument = Effect.fnUntraced(function* (sql: Sql, text: GenerationSql, key: DocumentKey) {
  const locked = yield* sql.query(text.lockDocument, [key.userId, key.documentId])
  if (locked.length === 0) return yield* generationGone(key)
})

/** Finds the unfinished generation of the fingerprint, or begins one in place of any other that is unfinished. */
const findOrBegin = (
  database: Database["Service"],
  text: GenerationSql,
  input: BeginGeneration,
  model: string | undefined
) =>
  database.asService((sql) =>
    Effect.gen(function* () {
      const { userId, documentId, parsed } = input
      const parser = input.parser ?? null
      // A generation is continued only with embeddings of the same embedder.
      const fingerprint = model === undefined ? input.fingerprint : `${input.fingerprint} ${model}`
      const document = [userId, documentId]
      yield* lockDocument(sql, text, input)
      const [unfinished] = yield* sql.query<{ generation: number; passages: number }>(text.continueUnfinished, [
        ...document,
        fingerprint,
        parser
      ])
      if (unfinished !== undefined) return { userId, documentId, ...unfinished }
      yield* sql.query(text.dropUnfinished, document)
      const [next] = yield* sql.query<{ generation: number }>(text.nextNumber, document)
      if (next === undefined) return yield* generationGone(input)
      yield* sql.query(text.begin, [
        ...document,
        next.generation,
        fingerprint,
        parsed.pageStarts,
        headingsValue(parsed.headings),
        searchLanguageOf(parsed.text),
        parser,
        INDEXING_VERSION,
        model ?? null
      ])
      return { userId, documentId, ...next, passages: 0 }
    })
  )

/** Part by part, each a transaction of its own; parts that an earlier try has stored are passed over. */
const storeText = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  generation: Generation,
  parsed: string
) {
  const key = generationParams(generation)
  const [stored] = yield* database.statement<{ parts: number }>(text.countTextParts, key)
  const parts = textParts(storableText(parsed))
  for (const [part, { start, end, text: content }] of parts.entries()) {
    if (part < (stored?.parts ?? 0)) continue
    yield* orGone(generation, database.statement(text.addText, [...key, part, start, end, content]))
  }
})

/** `PassageIndex.begin`, for embeddings of a model where there is one: what an embedded database does in between is served, since each statement stands alone. */
export const beginGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  input: BeginGeneration,
  model: string | undefined
) {
  const begun = yield* findOrBegin(database, text, input, model)
  yield* storeText(database, text, begun, input.parsed.text)
  return begun
})

/**
 * `PassageIndex.activate`, in one transaction. Of generations begun one after the other the later one stays: the earlier
 * is dropped by it, active or not, and is gone when its own activation comes.
 */
export const activateGeneration = (database: Database["Service"], text: GenerationSql, generation: Generation) =>
  database.asService((sql) =>
    Effect.gen(function* () {
      const key = generationParams(generation)
      yield* lockDocument(sql, text, generation)
      const [found] = yield* sql.query<{ active: boolean }>(text.lockGeneration, key)
      if (found === undefined) return yield* generationGone(generation)
      if (found.active) return
      yield* sql.query(text.dropOlder, key)
      yield* sql.query(text.activate, key)
    })
  )
