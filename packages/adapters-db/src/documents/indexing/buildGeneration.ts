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

/** Serializes headings for a parameter of type jsonb; null if there are none. */
export const headingsValue = (headings: ReadonlyArray<Heading> | undefined): string | null =>
  headings === undefined || headings.length === 0 ? null : JSON.stringify(headings)

/** The most UTF-16 units of a part of a text: at most 768 KiB of UTF-8. */
const PART_LENGTH = 256 * 1024

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** A part of a text: the text from `start` to `end`, in UTF-16 units. */
export interface TextPart {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Cuts a text into parts of bounded size without splitting a character. */
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

/** Returns the first SQL parameters of most statements. */
export const generationParams = ({ userId, documentId, generation }: Generation): ReadonlyArray<unknown> => [
  userId,
  documentId,
  generation
]

/**
 * Runs a statement that stores rows of a generation; fails with `GenerationGone` if the generation's own row is
 * missing.
 */
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

/**
 * Returns the language of a document: the one that its text shows, or else the most frequent one of the owner's other
 * documents.
 */
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

/** Returns the SQL parameters with which a generation begins, the language of its text, and the parts of the text. */
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
    // Includes the model, because a generation may only be continued with embeddings of the same embedder.
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
 * Finds the unfinished generation with this fingerprint. If there is none, begins one with the first part of its text,
 * and deletes any other unfinished one. Most documents have one part, so this saves a commit.
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
 * Stores those parts of the text that are not stored yet, each in a transaction of its own; `known` is the number of
 * stored parts if the caller knows it.
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
 * Implements `PassageWriter.begin`; `model` is the model of the embeddings if there are embeddings. Each statement is a
 * transaction of its own, so that an embedded database can serve other requests in between.
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
 * Implements `PassageWriter.activate` in one transaction. Of two generations the later one remains: it deletes the
 * earlier one, whether that is active or not; the activation of the earlier one then finds that it is deleted.
 */
export const activateGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  generation: Generation
) {
  const [found] = yield* database.statement<{ active: boolean }>(text.activate, generationParams(generation))
  if (found?.active !== true) return yield* generationGone(generation)
})

/** The most numbers of embeddings that one statement writes: less than a megabyte. */
const NUMBERS_PER_STATEMENT = 100_000

/** A passage with the text that the embedder receives, and the hash of that text. */
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
 * Copies stored embeddings of the owner's equal passages to passages that the generation does not have yet. Returns the
 * passages that still have no embedding, the number of passages of the generation, and the number of reused embeddings.
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

/** Stores embeddings of passages that are not stored yet, each statement in a transaction of its own. */
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

/**
 * Returns the SQL parameters of embeddings: their model, and the ordinals, the hashes and all numbers of the passages'
 * embeddings.
 */
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

/** Implements `PassageIndex.unembedded`. */
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
