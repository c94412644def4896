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
import { type TextPart, textParts } from "./textParts.ts"

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

const addPart = (sql: Sql, text: GenerationSql, generation: Generation, part: number, stored: TextPart) =>
  sql.query(text.addText, [...generationParams(generation), part, stored.start, stored.end, stored.text])

/**
 * Finds the unfinished generation of the fingerprint, or begins one in place of any other that is unfinished, with the first
 * part of its text: for most documents all of it, and what a commit costs is saved.
 */
const findOrBegin = (
  database: Database["Service"],
  text: GenerationSql,
  {
    input,
    model,
    parts
  }: { readonly input: BeginGeneration; readonly model: string | undefined; readonly parts: ReadonlyArray<TextPart> }
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
      if (unfinished !== undefined) return { begun: { userId, documentId, ...unfinished }, parts: undefined }
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
      const begun = { userId, documentId, ...next, passages: 0 }
      const [first] = parts
      if (first !== undefined) yield* addPart(sql, text, begun, 0, first)
      return { begun, parts: Math.min(1, parts.length) }
    })
  )

/** Part by part, each a transaction of its own; those that are stored are passed over: so many, where that is known. */
const storeText = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  {
    generation,
    known,
    parts
  }: { readonly generation: Generation; readonly known: number | undefined; readonly parts: ReadonlyArray<TextPart> }
) {
  const key = generationParams(generation)
  const stored = known ?? (yield* database.statement<{ parts: number }>(text.countTextParts, key))[0]?.parts ?? 0
  for (const [part, each] of parts.entries()) {
    if (part < stored) continue
    yield* orGone(generation, addPart({ query: database.statement }, text, generation, part, each))
  }
})

/** `PassageIndex.begin`, for embeddings of a model where there is one: what an embedded database does in between is served, since each statement stands alone. */
export const beginGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  input: BeginGeneration,
  model: string | undefined
) {
  const parts = textParts(storableText(input.parsed.text))
  const { begun, parts: known } = yield* findOrBegin(database, text, { input, model, parts })
  yield* storeText(database, text, { generation: begun, known, parts })
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
