import {
  type BeginGeneration,
  type DocumentKey,
  embeddedText,
  type Embedder,
  type Embedding,
  embeddingModel,
  type Generation,
  GenerationGone,
  INDEXING_VERSION,
  type Passage,
  searchLanguageOf,
  shownLanguageOf,
  storableText
} from "@parley/core/adapter"
import type { Heading } from "@parley/core/reading"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"
import { hash } from "node:crypto"
import type { UserId } from "@parley/core"
import type { ArrayValues } from "../../database/arrayValues.ts"

/** Headings as a parameter of type jsonb. */
export const headingsValue = (headings: ReadonlyArray<Heading> | undefined): string | null =>
  headings === undefined || headings.length === 0 ? null : JSON.stringify(headings)

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

/** The language of a document: that of the owner's other documents if its text shows none. */
const languageOf = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  { documentId, parsed, userId }: BeginGeneration
) {
  const shown = shownLanguageOf(parsed.text)
  if (shown !== undefined) return shown
  const [usual] = yield* database.statement<{ language: string }>(text.findUsualLanguage, [userId, documentId])
  return usual?.language ?? searchLanguageOf(parsed.text)
})

/** The parameters with which a generation begins; `language` is that of its text. */
export const beginParams = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  input: BeginGeneration,
  model: string | undefined
) {
  const { documentId, fingerprint, parsed, parser, userId } = input
  const parts = textParts(storableText(parsed.text))
  const [first] = parts
  const language = yield* languageOf(database, text, input)
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
  return { language, params, parts }
})

/**
 * Finds the unfinished generation of the fingerprint, or begins one in place of any other unfinished one, with the
 * first part of its text. Most documents have one part, so this saves a commit.
 */
const findOrBegin = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  input: BeginGeneration,
  model: string | undefined
) {
  const { userId, documentId } = input
  const { params, parts } = yield* beginParams(database, text, input, model)
  const [found] = yield* database.statement<{ generation: number; passages: number; begun: boolean }>(
    text.begin,
    params
  )
  if (found === undefined) return yield* generationGone(input)
  const { begun, generation, passages } = found
  const known = begun ? Math.min(1, parts.length) : undefined
  return { begun: { userId, documentId, generation, passages }, known, parts }
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
  const { begun, known, parts } = yield* findOrBegin(database, text, input, model)
  yield* storeText(database, text, { generation: begun, known, parts })
  return begun
})

/**
 * `PassageWriter.activate`, in one transaction. Of two generations the later one remains: it deletes the earlier one,
 * active or not, whose own activation then finds it deleted.
 */
export const activateGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  generation: Generation
) {
  const [found] = yield* database.statement<{ active: boolean }>(text.activate, generationParams(generation))
  if (found?.active !== true) return yield* generationGone(generation)
})

/** Numbers that one statement writes at most: under a megabyte. */
const NUMBERS_PER_STATEMENT = 100_000

/** A passage with its text for the embedder and the hash of that text. */
export interface Content {
  readonly passage: Passage
  readonly text: string
  /** SHA-256, in hexadecimal. */
  readonly hash: string
}

export const contentOf = (passage: Passage): Content => {
  const text = embeddedText({ ...passage, text: storableText(passage.text) })
  return { passage, text, hash: hash("sha256", text) }
}

/** A passage with its embedding. */
export interface EmbeddedContent extends Content {
  readonly embedding: Embedding
}

export interface ReuseEmbeddings {
  readonly embedder: Embedder["Service"]
  readonly generation: Generation
  readonly passages: ReadonlyArray<Passage>
}

/**
 * Copies embeddings of equal passages of the owner to passages that the generation lacks; returns the passages that
 * still have none, and how many passages the generation has.
 */
export const reuseEmbeddings = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  { embedder, generation, passages }: ReuseEmbeddings
) {
  const contents = passages.map(contentOf)
  const ordinals = passages.map(({ ordinal }) => ordinal)
  const [found] = yield* orGone(
    generation,
    database.statement<{ passages: number; language: string; wanting: ReadonlyArray<number> }>(text.reuseEmbeddings, [
      ...generationParams(generation),
      embeddingModel(embedder),
      ordinals,
      contents.map((content) => content.hash)
    ])
  )
  if (found === undefined) return yield* generationGone(generation)
  const lacking = new Set(found.wanting)
  const wanting = contents.filter(({ passage: { ordinal } }) => lacking.has(ordinal))
  const reused = ordinals.filter((ordinal) => ordinal >= found.passages).length - wanting.length
  return { passages: found.passages, language: found.language, wanting, reused }
})

export interface KeepEmbeddings {
  readonly embedder: Embedder["Service"]
  readonly generation: Generation
  readonly embedded: ReadonlyArray<EmbeddedContent>
}

/** Keeps embeddings of passages that are not written yet, in transactions of their own. */
export const keepEmbeddings = Effect.fnUntraced(function* (
  database: Database["Service"],
  { arrays, text }: { readonly arrays: ArrayValues; readonly text: GenerationSql },
  { embedded, embedder, generation }: KeepEmbeddings
) {
  const rows = Math.max(1, Math.floor(NUMBERS_PER_STATEMENT / embedder.dimensions))
  for (let from = 0; from < embedded.length; from += rows) {
    const params = embeddingParams(arrays, embedder, embedded.slice(from, from + rows))
    yield* orGone(generation, database.statement(text.addEmbeddings, [...generationParams(generation), ...params]))
  }
})

/** The model; ordinals, hashes, numbers. */
export const embeddingParams = (
  arrays: ArrayValues,
  embedder: Embedder["Service"] | undefined,
  embedded: ReadonlyArray<EmbeddedContent>
): ReadonlyArray<unknown> => [
  embedder === undefined ? null : embeddingModel(embedder),
  arrays.integers(embedded.map(({ passage: { ordinal } }) => ordinal)),
  arrays.texts(embedded.map((content) => content.hash)),
  arrays.reals(embedded.map(({ embedding }) => embedding))
]

/** `PassageIndex.unembedded`. */
export const findUnembedded = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  {
    model,
    passages,
    userId
  }: { readonly userId: UserId; readonly model: string; readonly passages: ReadonlyArray<Passage> }
) {
  const byHash = new Map(passages.map(contentOf).map((content) => [content.hash, content.passage]))
  const known = yield* database.statement<{ hash: string }>(text.findKnown, [userId, model, [...byHash.keys()]])
  for (const row of known) byHash.delete(row.hash)
  return [...byHash.values()]
})
