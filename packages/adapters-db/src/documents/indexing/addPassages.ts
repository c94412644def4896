import {
  type AddedPassages,
  type Embedder,
  type Embedding,
  type EmbeddingFailed,
  embeddingModel,
  embedTexts,
  type Generation,
  type GenerationGone,
  NOTHING_EMBEDDED,
  type Passage,
  passageWords,
  type PutDocument,
  requestsOf,
  storableText
} from "@parley/core/adapter"
import { Effect } from "effect"
import type { ArrayValues } from "../../database/arrayValues.ts"
import type { Database, DatabaseError } from "../../database/Database.ts"
import {
  beginGeneration,
  beginParams,
  generationGone,
  generationParams,
  headingsValue,
  textParts,
  type Content,
  contentOf,
  type EmbeddedContent,
  embeddingParams,
  keepEmbeddings,
  reuseEmbeddings
} from "./buildGeneration.ts"
import type { GenerationSql } from "./generationSql.ts"
import type { FindPassageTerms } from "./passageTerms.ts"

/** The most passages of a block. A row of postings belongs to one block. */
const BLOCK_PASSAGES = 128

/** A passage as it is stored, with the words by which a search finds it. */
interface PassageRecord extends Passage {
  readonly words: string
}

export type Block = ReadonlyArray<PassageRecord>

/** Cuts passages into blocks that are small enough for one short statement each. */
export function* blocksOf(passages: ReadonlyArray<Passage>): Generator<Block> {
  for (let from = 0; from < passages.length; from += BLOCK_PASSAGES) {
    yield passages
      .slice(from, from + BLOCK_PASSAGES)
      .map((passage) => ({ ...passage, text: storableText(passage.text), words: passageWords(passage) }))
  }
}

export interface IndexParts {
  readonly arrays: ArrayValues
  readonly embedder: Embedder["Service"] | undefined
  readonly findTerms: FindPassageTerms
  readonly text: GenerationSql
}

export interface AddPassages {
  readonly generation: Generation
  readonly passages: ReadonlyArray<Passage>
}

interface WriteBlock {
  readonly generation: Generation
  readonly language: string
  readonly block: Block
  /** The embeddings that are stored with the block. */
  readonly embedded: ReadonlyArray<EmbeddedContent>
}

/** Returns the SQL parameters of a block that follow those of its generation. */
export const blockParams = Effect.fnUntraced(function* (
  database: Database["Service"],
  { arrays, embedder, findTerms }: IndexParts,
  { block, embedded, language }: Omit<WriteBlock, "generation">
) {
  const words = block.map((passage) => passage.words)
  const { lexemes, parts, passages: found } = yield* findTerms(database, language, words)
  return [
    block[0]?.ordinal,
    arrays.integers(block.map(({ page }) => page)),
    arrays.integers(block.map(({ start }) => start)),
    arrays.integers(block.map(({ end }) => end)),
    arrays.texts(block.map(({ text }) => text)),
    arrays.texts(block.map(({ headings }) => headingsValue(headings))),
    arrays.integers(found.map(({ length }) => length)),
    arrays.texts(found.map(({ terms }) => terms)),
    arrays.texts(found.map(({ frequencies }) => frequencies)),
    arrays.integers(parts.map(({ number }) => number)),
    arrays.texts(parts.map((part) => part.lexemes)),
    arrays.texts(parts.map(({ frequent }) => frequent)),
    lexemes,
    ...embeddingParams(arrays, embedder, embedded)
  ]
})

/**
 * Writes those passages of a block that the generation does not have yet, in one statement under the lock of the
 * generation's row. So concurrent writers of the same passages store each passage once.
 */
const writeBlock = Effect.fnUntraced(function* (
  database: Database["Service"],
  parts: IndexParts,
  { block, embedded, generation, language }: WriteBlock
) {
  // Waits for the disk if embeddings have been paid for, or if other writes of the same transaction depend on it.
  const durable = embedded.length > 0 || (yield* database.inTransaction)
  let rest = block
  while (rest.length > 0) {
    const params = yield* blockParams(database, parts, { block: rest, embedded, language })
    const [found] = yield* database.statement<{ passages: number; active: boolean; written: boolean }>(
      parts.text.addPassages,
      [...generationParams(generation), ...params, durable]
    )
    if (found === undefined) return yield* generationGone(generation)
    if (found.written) return
    const { passages: due } = found
    rest = rest.filter(({ ordinal }) => ordinal >= due)
    if (rest[0] === undefined) return
    if (found.active) return yield* generationGone(generation)
    if (rest[0].ordinal !== due) {
      return yield* Effect.die(new Error(`Passage ${rest[0].ordinal} was added where ${due} was due.`))
    }
  }
})

/** Combines the contents of passages with the embeddings of their texts. */
const withEmbeddings = (
  byText: ReadonlyMap<string, ReadonlyArray<Content>>,
  embeddings: ReadonlyMap<string, Embedding>
): ReadonlyArray<EmbeddedContent> =>
  [...embeddings].flatMap(([text, embedding]) => (byText.get(text) ?? []).map((content) => ({ ...content, embedding })))

const findGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  generation: Generation
) {
  const [found] = yield* database.statement<{ passages: number; language: string }>(
    text.findGeneration,
    generationParams(generation)
  )
  return found ?? (yield* generationGone(generation))
})

/**
 * Implements `PassageWriter.add`. It stores no passage before its embedding. The embeddings of a request are stored as
 * soon as they arrive: together with the passages if one request and one statement suffice, otherwise before them.
 */
export const addPassages = Effect.fnUntraced(function* (
  database: Database["Service"],
  parts: IndexParts,
  { generation, passages }: AddPassages
) {
  const { embedder, text } = parts
  const blocksFrom = (written: number) => [...blocksOf(passages.filter(({ ordinal }) => ordinal >= written))]
  if (embedder === undefined) {
    const { language, passages: written } = yield* findGeneration(database, text, generation)
    for (const block of blocksFrom(written)) {
      yield* writeBlock(database, parts, { generation, language, block, embedded: [] })
    }
    return NOTHING_EMBEDDED
  }

  const known = yield* reuseEmbeddings(database, text, { embedder, generation, passages })
  const { language, reused, wanting } = known
  const blocks = blocksFrom(known.passages)
  const byText = Map.groupBy(wanting, (content) => content.text)
  const isOne = blocks.length === 1 && requestsOf(embedder, [...byText.keys()]).length === 1
  const written = new Set<Block>()
  yield* embedTexts(embedder, {
    texts: [...byText.keys()],
    keep: Effect.fnUntraced(function* (embeddings) {
      const embedded = withEmbeddings(byText, embeddings)
      const [block] = blocks
      if (isOne && block !== undefined && embedded.length === wanting.length) {
        yield* writeBlock(database, parts, { generation, language, block, embedded })
        written.add(block)
      } else yield* keepEmbeddings(database, parts, { embedder, generation, embedded })
    })
  })
  for (const block of blocks) {
    if (!written.has(block)) yield* writeBlock(database, parts, { generation, language, block, embedded: [] })
  }
  return { asked: wanting.length, reused } satisfies AddedPassages
})

/** Stores a document's passages and makes them the searched generation; `also` is committed in the same transaction. */
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
  const begin = yield* beginParams(database, parts.text, document, parts.embedder && embeddingModel(parts.embedder))
  const params = yield* blockParams(database, parts, { block, embedded, language: begin.language })
  const write = Effect.flatMap(
    database.statement<{ put: boolean }>(parts.text.put, [...begin.params, ...params]),
    ([answer]) => (answer?.put === true ? Effect.void : generationGone(document))
  )
  yield* also === undefined ? write : database.unitOfWork(Effect.andThen(write, also))
})

/**
 * Implements `PassageWriter.put` with one statement, after one that looks for embeddings that are stored already. The
 * answer of an embedder is stored at once, without interruption; a partial answer is stored in an unfinished
 * generation.
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
      const embedded = withEmbeddings(byText, embeddings)
      written = embedded.length === contents.length
      if (written) return yield* writeDocument(database, parts, { document, block, embedded, also })
      const generation = yield* beginGeneration(database, text, document, model)
      yield* keepEmbeddings(database, parts, { embedder, generation, embedded })
    })
  })
  return written ? { asked: contents.length, reused: 0 } : undefined
})
