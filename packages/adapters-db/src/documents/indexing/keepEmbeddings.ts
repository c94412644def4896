import { hash } from "node:crypto"
import {
  embeddedText,
  type Embedder,
  type Embedding,
  embeddingModel,
  type Generation,
  type Passage,
  storableText
} from "@parley/core/adapter"
import type { UserId } from "@parley/core"
import { Effect } from "effect"
import type { ArrayValues } from "../../database/arrayValues.ts"
import type { Database } from "../../database/Database.ts"
import { generationGone, generationParams, orGone } from "./buildGeneration.ts"
import type { GenerationSql } from "./generationSql.ts"

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
