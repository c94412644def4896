import {
  type BeginGeneration,
  type DocumentKey,
  type Generation,
  GenerationGone,
  INDEXING_VERSION,
  searchLanguageOf,
  storableText
} from "@parley/core/adapter"
import type { Heading } from "@parley/core/reading"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"

/** Headings as a parameter of type jsonb. */
export const headingsValue = (headings: ReadonlyArray<Heading> | undefined): string | null =>
  headings === undefined || headings.length === 0 ? null : JSON.stringify(headings)

/** A column of headings as a field that is absent where there are none. */
export const headingsField = (column: ReadonlyArray<Heading> | null): { readonly headings?: ReadonlyArray<Heading> } =>
  column === null ? {} : { headings: column }

/** UTF-16 units of a part at most: 768 KiB of UTF-8. */
const PART_LENGTH = 256 * 1024

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** A part of a text, which has it from `start` to `end`, in UTF-16 units. */
export interface TextPart {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A text in parts of bounded size, no character of which is split. */
export const textParts = (text: string): ReadonlyArray<TextPart> => {
  const parts: Array<TextPart> = []
  for (let start = 0; start < text.length;) {
    const bound = Math.min(start + PART_LENGTH, text.length)
    const end = isLowSurrogate(text.charCodeAt(bound)) ? bound - 1 : bound
    parts.push({ start, end, text: text.slice(start, end) })
    start = end
  }
  return parts
}

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

const addPart = (
  { statement }: Database["Service"],
  text: GenerationSql,
  generation: Generation,
  part: number,
  stored: TextPart
) => statement(text.addText, [...generationParams(generation), part, stored.start, stored.end, stored.text])

/** What a generation begins with, as parameters; `language` is that of its text. */
export const beginParams = (
  { documentId, fingerprint, parsed, parser, userId }: BeginGeneration,
  model: string | undefined,
  [first]: ReadonlyArray<TextPart>
) => {
  const language = searchLanguageOf(parsed.text)
  const params: ReadonlyArray<unknown> = [
    userId,
    documentId,
    // A generation is continued only with embeddings of the same embedder.
    model === undefined ? fingerprint : `${fingerprint} ${model}`,
    parsed.pageStarts,
    headingsValue(parsed.headings),
    language,
    parser ?? null,
    INDEXING_VERSION,
    model ?? null,
    first?.end ?? null,
    first?.text ?? null
  ]
  return { language, params }
}

/**
 * Finds the unfinished generation of the fingerprint, or begins one in place of any other that is unfinished, with the first
 * part of its text: for most documents all of it, and what a commit costs is saved.
 */
const findOrBegin = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  {
    input,
    model,
    parts
  }: { readonly input: BeginGeneration; readonly model: string | undefined; readonly parts: ReadonlyArray<TextPart> }
) {
  const { userId, documentId } = input
  const { params } = beginParams(input, model, parts)
  const [found] = yield* database.statement<{ generation: number; passages: number; begun: boolean }>(
    text.begin,
    params
  )
  if (found === undefined) return yield* generationGone(input)
  const { begun, generation, passages } = found
  return { begun: { userId, documentId, generation, passages }, parts: begun ? Math.min(1, parts.length) : undefined }
})

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
    yield* orGone(generation, addPart(database, text, generation, part, each))
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
export const activateGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  generation: Generation
) {
  const [found] = yield* database.statement<{ active: boolean }>(text.activate, generationParams(generation))
  if (found?.active !== true) return yield* generationGone(generation)
})
