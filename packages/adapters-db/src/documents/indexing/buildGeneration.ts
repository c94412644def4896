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

/** A column of headings as a field, which is absent if there are none. */
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

/** Writes beside a generation's row: without the row, the generation is gone. */
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

/** The parameters with which a generation begins; `language` is that of its text. */
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
 * Finds the unfinished generation of the fingerprint, or begins one in place of any other unfinished one, with the
 * first part of its text. Most documents have one part, so this saves a commit.
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

/**
 * Stores the parts of the text, each in a transaction of its own, and skips those that are stored; `known` is their
 * number if it is known.
 */
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

/**
 * `PassageWriter.begin`, for embeddings of a model if there is one. Each statement stands alone, so that an embedded
 * database serves other requests in between.
 */
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
 * `PassageWriter.activate`, in one transaction. Of generations begun one after the other the later one stays: it drops
 * the earlier, active or not, whose own activation then finds it gone.
 */
export const activateGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  generation: Generation
) {
  const [found] = yield* database.statement<{ active: boolean }>(text.activate, generationParams(generation))
  if (found?.active !== true) return yield* generationGone(generation)
})
