import {
  type DocumentKey,
  embeddingModel,
  isUuid,
  PassageEmbedder,
  PassageIndex,
  PassageWriter,
  type ExcerptInput,
  excerptOf,
  type FoundPassage,
  type IndexedDocument,
  type Indexing,
  type Passage,
  type SpreadInput
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { arrayValues } from "../../database/arrayValues.ts"
import { Database, type DatabaseError, type Row } from "../../database/Database.ts"
import { storing } from "../../storage/storageFailed.ts"
import { ExactSearchPassages } from "../searching/ExactSearchPassages.ts"
import { addPassages, putDocument } from "./addPassages.ts"
import {
  activateGeneration,
  beginGeneration,
  generationGone,
  generationParams,
  findUnembedded
} from "./buildGeneration.ts"
import { generationSql, type GenerationSql } from "./generationSql.ts"
import { makeFindVectorExtension } from "../searching/findVectorExtension.ts"
import { passageSql } from "../searching/passageSql.ts"
import { makePassageTerms } from "./passageTerms.ts"
import { foundOf, type PassageRow, searchPassages, type StoredPassageRow } from "../searching/searchPassages.ts"
import type { Excerpt } from "@parley/core"
import type { Heading } from "@parley/core/reading"

/** The most parts of a text, and the most passages, that one statement reads. */
const PARTS_PER_STATEMENT = 4
const PASSAGES_PER_STATEMENT = 500

interface ActiveRow extends Row {
  readonly generation: number
  readonly passages: number
  readonly page_starts: ReadonlyArray<number> | null
  readonly headings: ReadonlyArray<Heading> | null
}

/** Returns a column of headings as an optional field, which is absent if the column is null. */
const headingsField = (column: ReadonlyArray<Heading> | null): { readonly headings?: ReadonlyArray<Heading> } =>
  column === null ? {} : { headings: column }

const passageOf = (row: StoredPassageRow): Passage => ({
  ordinal: row.ordinal,
  page: row.page,
  start: row.start_offset,
  end: row.end_offset,
  text: row.text,
  ...headingsField(row.headings)
})

/** Implements `PassageIndex.spread` with one statement. */
const spreadPassages = (
  { statementAsUser }: Database["Service"],
  text: GenerationSql,
  { userId, documentIds, each }: SpreadInput
): Effect.Effect<ReadonlyArray<FoundPassage>, DatabaseError> =>
  Effect.map(statementAsUser<PassageRow>(userId, text.spread, [userId, documentIds.filter(isUuid), each]), (rows) =>
    rows.map((row) => foundOf(row, 0))
  )

interface ExcerptRow extends Row {
  readonly page_starts: ReadonlyArray<number> | null
  readonly length: number
  readonly start_offset: number | null
  readonly text: string | null
}

/** Reads all rows in pages of `size`. Each page begins where the previous one ended. */
const readAll = Effect.fnUntraced(function* <R extends Row>(
  size: number,
  page: (from: number) => Effect.Effect<ReadonlyArray<R>, DatabaseError>,
  next: (rows: ReadonlyArray<R>, from: number) => number
) {
  const all: Array<R> = []
  let from = 0
  for (;;) {
    const rows = yield* page(from)
    all.push(...rows)
    if (rows.length < size) return all
    from = next(rows, from)
  }
})

/**
 * Implements `PassageIndex.read`. It reads page by page, so that no statement takes long. If another generation becomes
 * active meanwhile, it starts again with that generation.
 */
const readGeneration = Effect.fnUntraced(function* (
  database: Database["Service"],
  text: GenerationSql,
  { userId, documentId }: DocumentKey
): Effect.fn.Return<IndexedDocument | undefined, DatabaseError> {
  const query = <R extends Row>(statement: string, params: ReadonlyArray<unknown>) =>
    database.asUser(userId, (sql) => sql.query<R>(statement, params))
  const findActive = Effect.map(query<ActiveRow>(text.findActive, [userId, documentId]), ([active]) => active)
  let active = yield* findActive
  while (active !== undefined) {
    const key = [userId, documentId, active.generation]
    const parts = yield* readAll(
      PARTS_PER_STATEMENT,
      (from) => query<{ text: string }>(text.readText, [...key, from, PARTS_PER_STATEMENT]),
      (rows, from) => from + rows.length
    )
    const passages = yield* readAll(
      PASSAGES_PER_STATEMENT,
      (from) => query<StoredPassageRow>(text.readPassages, [...key, from, PASSAGES_PER_STATEMENT]),
      (rows) => (rows.at(-1)?.ordinal ?? 0) + 1
    )
    const still = yield* findActive
    if (still?.generation === active.generation) {
      const whole = parts.map((part) => part.text).join("")
      const parsed = { text: whole, pageStarts: active.page_starts, ...headingsField(active.headings) }
      return { ...parsed, passages: passages.map(passageOf) }
    }
    active = still
  }
  return undefined
})

/**
 * Implements `PassageIndex.excerpt`: one statement reads the one or two parts of the text that overlap the requested
 * range.
 */
const readExcerpt = (
  { statementAsUser }: Database["Service"],
  text: GenerationSql,
  { userId, documentId, from, to }: ExcerptInput
): Effect.Effect<Excerpt | undefined, DatabaseError> =>
  Effect.map(
    // Reads one UTF-16 unit more on both sides, which shows whether the range would split a character.
    statementAsUser<ExcerptRow>(userId, text.readExcerpt, [userId, documentId, from - 1, to + 1]),
    (rows) => {
      const [first] = rows
      if (first === undefined) return undefined
      const { length, page_starts: pageStarts } = first
      const read = { start: first.start_offset ?? length, text: rows.map((row) => row.text ?? "").join("") }
      return excerptOf({ ...read, length, pageStarts }, from, to)
    }
  )

interface IndexingRow extends Row {
  readonly userId: string
  readonly documentId: string
  readonly parser: string | null
  readonly version: number | null
  readonly embedder: string | null
  readonly passages: number
  readonly activatedAt: number | null
}

/** Implements `PassageIndex.indexings`. Times are microseconds since 1970, by the database's clock. */
const findIndexings = (
  database: Database["Service"],
  text: GenerationSql,
  documents: ReadonlyArray<DocumentKey>
): Effect.Effect<ReadonlyArray<Indexing>, DatabaseError> => {
  const known = documents.filter(({ documentId }) => isUuid(documentId))
  const params = [known.map(({ userId }) => userId), known.map(({ documentId }) => documentId)]
  return Effect.map(database.statement<IndexingRow>(text.findIndexings, params), (rows) =>
    rows.map(({ activatedAt, embedder, parser, version, ...row }) => ({
      ...row,
      parser: parser ?? undefined,
      version: version ?? undefined,
      embedder: embedder ?? undefined,
      activatedAt: activatedAt ?? undefined
    }))
  )
}

const indexing = (operation: string) => storing(operation, "documents")

const makeIndex = Effect.gen(function* () {
  const database = yield* Database
  const embedder = yield* PassageEmbedder
  const findVectorExtension = yield* makeFindVectorExtension(database)
  const text = passageSql(database.schema, yield* ExactSearchPassages)
  const reading = generationSql(database.schema)
  return PassageIndex.of({
    embedder,
    search: (input) =>
      storing("PassageIndex.search")(searchPassages({ database, embedder, findVectorExtension, text }, input)),
    spread: (input) => storing("PassageIndex.spread")(spreadPassages(database, reading, input)),
    read: (document) =>
      indexing("PassageIndex.read")(
        isUuid(document.documentId) ? readGeneration(database, reading, document) : Effect.succeed(undefined)
      ),
    excerpt: (input) =>
      storing("PassageIndex.excerpt")(
        isUuid(input.documentId) ? readExcerpt(database, reading, input) : Effect.succeed(undefined)
      ),
    indexings: (documents) => indexing("PassageIndex.indexings")(findIndexings(database, reading, documents)),
    unembedded: (userId, passages) =>
      indexing("PassageIndex.unembedded")(
        embedder === undefined
          ? Effect.succeed([])
          : findUnembedded(database, reading, { userId, model: embeddingModel(embedder), passages })
      )
  })
})

const makeWriter = Effect.gen(function* () {
  const database = yield* Database
  const embedder = yield* PassageEmbedder
  const text = generationSql(database.schema)
  const parts = { arrays: arrayValues(database.driver), embedder, findTerms: makePassageTerms(text), text }
  const ifUuid = <A, E>(document: DocumentKey, work: Effect.Effect<A, E>) =>
    isUuid(document.documentId) ? work : Effect.fail(generationGone(document))
  return PassageWriter.of({
    begin: (input) =>
      indexing("PassageWriter.begin")(
        ifUuid(input, beginGeneration(database, text, input, embedder && embeddingModel(embedder)))
      ),
    add: (generation, passages) =>
      indexing("PassageWriter.add")(addPassages(database, parts, { generation, passages })),
    activate: (generation) => indexing("PassageWriter.activate")(activateGeneration(database, text, generation)),
    put: (document, also) =>
      indexing("PassageWriter.put")(ifUuid(document, putDocument(database, parts, document, also))),
    abandon: (generation) =>
      indexing("PassageWriter.abandon")(Effect.asVoid(database.statement(text.abandon, generationParams(generation))))
  })
})

/**
 * Passages in Postgres or PGlite. SQL ranks them exactly by BM25, within the named documents and with the statistics of
 * all documents of their owner; relevance feedback then ranks the best passages again.
 */
export const PgPassageIndexLayer: Layer.Layer<PassageIndex | PassageWriter, never, Database> = Layer.mergeAll(
  Layer.effect(PassageIndex, makeIndex),
  Layer.effect(PassageWriter, makeWriter)
)
