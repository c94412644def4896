import {
  type DocumentKey,
  embeddingModel,
  isUuid,
  PassageEmbedder,
  PassageIndex,
  PassageWriter
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { arrayValues } from "../../database/arrayValues.ts"
import { Database } from "../../database/Database.ts"
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
import { generationSql } from "./generationSql.ts"
import { makeFindVectorExtension } from "../searching/findVectorExtension.ts"
import { findIndexings, readExcerpt, readGeneration, spreadPassages } from "./readGeneration.ts"
import { passageSql } from "../searching/passageSql.ts"
import { makePassageTerms } from "./passageTerms.ts"
import { searchPassages } from "../searching/searchPassages.ts"

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
 * Passages in Postgres or PGlite: SQL ranks them by BM25, exactly, within the named documents and by the owner's statistics;
 * relevance feedback ranks the best again.
 */
export const PgPassageIndexLayer: Layer.Layer<PassageIndex | PassageWriter, never, Database> = Layer.mergeAll(
  Layer.effect(PassageIndex, makeIndex),
  Layer.effect(PassageWriter, makeWriter)
)
