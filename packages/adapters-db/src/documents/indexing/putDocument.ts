import {
  type AddedPassages,
  type EmbeddingFailed,
  embeddingModel,
  embedTexts,
  type GenerationGone,
  NOTHING_EMBEDDED,
  type PutDocument,
  requestsOf,
  storableText
} from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import { type Block, blockParams, blocksOf, type IndexParts } from "./addPassages.ts"
import { beginGeneration, beginParams, generationGone } from "./buildGeneration.ts"
import { contentOf, type EmbeddedContent, keepEmbeddings } from "./keepEmbeddings.ts"
import { textParts } from "./textParts.ts"

/** Writes a document and makes it the one that is searched; `also` is committed with it. */
const writeDocument = Effect.fnUntraced(function* <E>(
  database: Database["Service"],
  parts: IndexParts,
  {
    also,
    block,
    document,
    embedded
  }: {
    readonly document: PutDocument
    readonly block: Block
    readonly embedded: ReadonlyArray<EmbeddedContent>
    readonly also: Effect.Effect<unknown, E> | undefined
  }
): Effect.fn.Return<void, DatabaseError | E | GenerationGone> {
  const begin = beginParams(
    document,
    parts.embedder && embeddingModel(parts.embedder),
    textParts(storableText(document.parsed.text))
  )
  const params = yield* blockParams(database, parts, { block, embedded, language: begin.language })
  const write = Effect.flatMap(
    database.statement<{ put: boolean }>(parts.text.put, [...begin.params, ...params]),
    ([answer]) => (answer?.put === true ? Effect.void : generationGone(document))
  )
  yield* also === undefined ? write : database.unitOfWork(Effect.andThen(write, also))
})

/**
 * `PassageIndex.put`: one statement, beside one that looks whether embeddings are there already. What an embedder answered is
 * written at once and not interrupted; an answer in part is kept in an unfinished generation.
 */
export const putDocument = Effect.fnUntraced(function* <E>(
  database: Database["Service"],
  parts: IndexParts,
  document: PutDocument,
  also: Effect.Effect<unknown, E> | undefined
): Effect.fn.Return<AddedPassages | undefined, DatabaseError | E | EmbeddingFailed | GenerationGone> {
  const { embedder, text } = parts
  const [block, more] = blocksOf(document.passages)
  if (block === undefined || more !== undefined || textParts(document.parsed.text).length > 1) return undefined
  if (embedder === undefined) {
    yield* writeDocument(database, parts, { document, block, embedded: [], also })
    return NOTHING_EMBEDDED
  }

  const contents = document.passages.map(contentOf)
  const byText = Map.groupBy(contents, (content) => content.text)
  if (requestsOf(embedder, [...byText.keys()]).length > 1) return undefined
  const model = embeddingModel(embedder)
  const hashes = contents.map(({ hash }) => hash)
  if ((yield* database.statement(text.findKnown, [document.userId, model, hashes])).length > 0) return undefined
  let written = false
  yield* embedTexts(embedder, {
    texts: [...byText.keys()],
    keep: Effect.fnUntraced(function* (embeddings) {
      const embedded = [...embeddings].flatMap(([embeddedAs, embedding]) =>
        (byText.get(embeddedAs) ?? []).map((content) => ({ ...content, embedding }))
      )
      written = embedded.length === contents.length
      if (written) return yield* writeDocument(database, parts, { document, block, embedded, also })
      const generation = yield* beginGeneration(database, text, document, model)
      yield* keepEmbeddings(database, parts, { embedder, generation, embedded })
    })
  })
  return written ? { asked: contents.length, reused: 0 } : undefined
})
