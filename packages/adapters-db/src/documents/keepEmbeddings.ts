import {
  type AddedPassages,
  embeddedText,
  type Embedder,
  type Embedding,
  embeddingModel,
  embedTexts,
  type Generation,
  NOTHING_EMBEDDED,
  type Passage,
  sha256,
  storableText,
  type UserId
} from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { generationGone, generationParams, orGone } from "./buildGeneration.ts"
import type { GenerationSql } from "./generationSql.ts"

/** Numbers that one statement writes at most: about a megabyte. */
const NUMBERS_PER_STATEMENT = 100_000

/** What is embedded of a passage, and the hash it is known by. */
interface Content {
  readonly passage: Passage
  readonly text: string
  readonly hash: string
}

const contentOf = (passage: Passage): Effect.Effect<Content> => {
  const text = embeddedText({ ...passage, text: storableText(passage.text) })
  return Effect.map(sha256(new TextEncoder().encode(text)), (hash) => ({ passage, text, hash }))
}

export interface KeepEmbeddings {
  readonly embedder: Embedder["Service"]
  readonly generation: Generation
  readonly passages: ReadonlyArray<Passage>
}

/**
 * Gives the passages that the generation lacks their embeddings: those that equal passages of the owner have, then those that
 * the embedder is asked for, each request's in transactions of its own as soon as it is answered. The passages are written
 * after them.
 */
export const keepEmbeddings = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  { embedder, generation, passages }: KeepEmbeddings
) {
  const key = generationParams(generation)
  const [found] = yield* database.statement<{ passages: number }>(text.findGeneration, key)
  if (found === undefined) return yield* generationGone(generation)
  const rest = yield* Effect.forEach(
    passages.filter(({ ordinal }) => ordinal >= found.passages),
    contentOf
  )
  if (rest.length === 0) return NOTHING_EMBEDDED
  const model = embeddingModel(embedder)
  const ordinals = rest.map(({ passage: { ordinal } }) => ordinal)
  const hashes = rest.map(({ hash }) => hash)
  yield* orGone(generation, database.statement(text.reuseEmbeddings, [...key, model, ordinals, hashes]))
  const embedded = yield* database.statement<{ ordinal: number }>(text.findEmbedded, [...key, ordinals])
  const kept = new Set(embedded.map(({ ordinal }) => ordinal))
  const wanting = rest.filter(({ passage: { ordinal } }) => !kept.has(ordinal))
  const byText = Map.groupBy(wanting, (content) => content.text)

  const keep = Effect.fnUntraced(function* (embeddings: ReadonlyMap<string, Embedding>) {
    const all = [...embeddings].flatMap(([embeddedAs, embedding]) =>
      (byText.get(embeddedAs) ?? []).map(
        ({ hash, passage: { ordinal } }) => [ordinal, hash, `{${embedding.join(",")}}`] as const
      )
    )
    const rows = Math.max(1, Math.floor(NUMBERS_PER_STATEMENT / embedder.dimensions))
    for (let from = 0; from < all.length; from += rows) {
      const some = all.slice(from, from + rows)
      const written = database.statement(text.addEmbeddings(some.length), [...key, model, ...some.flat()])
      yield* orGone(generation, written)
    }
  })
  yield* embedTexts(embedder, { texts: [...byText.keys()], keep })
  return { asked: wanting.length, reused: kept.size } satisfies AddedPassages
})

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
  const byHash = new Map((yield* Effect.forEach(passages, contentOf)).map((content) => [content.hash, content.passage]))
  const known = yield* database.statement<{ hash: string }>(text.findKnown, [userId, model, [...byHash.keys()]])
  for (const { hash } of known) byHash.delete(hash)
  return [...byHash.values()]
})
