import { embeddingModel, isUuid, PassageEmbedder, PassageIndex } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { arrayValues } from "../../database/arrayValues.ts"
import { Database } from "../../database/Database.ts"
import { storing } from "../../storage/storageFailed.ts"
import { ExactSearchPassages } from "../searching/ExactSearchPassages.ts"
import { addPassages, putDocument } from "./addPassages.ts"
import { activateGeneration, beginGeneration, generationGone, generationParams } from "./buildGeneration.ts"
import { generationSql } from "./generationSql.ts"
import { findUnembedded } from "./keepEmbeddings.ts"
import { makeFindVectorExtension } from "../searching/findVectorExtension.ts"
import { findIndexings, readExcerpt, readGeneration } from "./readGeneration.ts"
import { passageSql } from "../searching/passageSql.ts"
import { makePassageTerms } from "./passageTerms.ts"
import { searchPassages } from "../searching/searchPassages.ts"

const indexing = (operation: string) => storing(operation, "documents")

const make = Effect.gen(function* () {
  const database = yield* Database
  const embedder = yield* PassageEmbedder
  const findVectorExtension = yield* makeFindVectorExtension(database)
  const text = passageSql(database.schema, yield* ExactSearchPassages)
  const building = generationSql(database.schema)
  const parts = {
    arrays: arrayValues(database.driver),
    embedder,
    findTerms: makePassageTerms(building),
    text: building
  }
  return PassageIndex.of({
    embedder,
    begin: (input) =>
      indexing("PassageIndex.begin")(
        isUuid(input.documentId)
          ? beginGeneration(database, building, input, embedder && embeddingModel(embedder))
          : Effect.fail(generationGone(input))
      ),
    add: (generation, passages) => indexing("PassageIndex.add")(addPassages(database, parts, { generation, passages })),
    unembedded: (userId, passages) =>
      indexing("PassageIndex.unembedded")(
        embedder === undefined
          ? Effect.succeed([])
          : findUnembedded(database, building, { userId, model: embeddingModel(embedder), passages })
      ),
    indexings: (documents) => indexing("PassageIndex.indexings")(findIndexings(database, building, documents)),
    activate: (generation) => indexing("PassageIndex.activate")(activateGeneration(database, building, generation)),
    put: (document, also) =>
      indexing("PassageIndex.put")(
        isUuid(document.documentId)
          ? putDocument(database, parts, document, also)
          : Effect.fail(generationGone(document))
      ),
    abandon: (generation) =>
      indexing("PassageIndex.abandon")(
        Effect.asVoid(database.statement(building.abandon, generationParams(generation)))
      ),
    read: (document) =>
      indexing("PassageIndex.read")(
        isUuid(document.documentId) ? readGeneration(database, building, document) : Effect.succeed(undefined)
      ),
    excerpt: (input) =>
      storing("PassageIndex.excerpt")(
        isUuid(input.documentId) ? readExcerpt(database, building, input) : Effect.succeed(undefined)
      ),
    search: (input) =>
      storing("PassageIndex.search")(searchPassages({ database, embedder, findVectorExtension, text }, input))
  })
})

/** Passages in Postgres or PGlite, ranked by BM25 in SQL, exactly, within the documents named and by the owner's statistics, then by feedback. */
export const PgPassageIndexLayer: Layer.Layer<PassageIndex, never, Database> = Layer.effect(PassageIndex, make)
