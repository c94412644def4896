import { type FoundPassage, isUuid, PassageIndex, searchableQuery } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { addPassages } from "./addPassages.ts"
import { activateGeneration, beginGeneration, generationGone, generationParams } from "./buildGeneration.ts"
import { generationSql } from "./generationSql.ts"
import { readGeneration } from "./readGeneration.ts"
import { passageSql } from "./passageSql.ts"

interface FoundRow extends Row {
  readonly document_id: string
  readonly filename: string
  readonly ordinal: number
  readonly page: number | null
  readonly start_offset: number
  readonly end_offset: number
  readonly text: string
  readonly score: number
}

const foundOf = (row: FoundRow): FoundPassage => ({
  documentId: row.document_id,
  filename: row.filename,
  ordinal: row.ordinal,
  page: row.page,
  start: row.start_offset,
  end: row.end_offset,
  text: row.text,
  score: row.score
})

const indexing = (operation: string) => storing(operation, "documents")

const make = Effect.map(Database, (database) => {
  const text = passageSql(database.schema)
  const building = generationSql(database.schema)
  return PassageIndex.of({
    begin: (input) =>
      indexing("PassageIndex.begin")(
        isUuid(input.documentId) ? beginGeneration(database, building, input) : Effect.fail(generationGone(input))
      ),
    add: (generation, passages) => indexing("PassageIndex.add")(addPassages(database, building, generation, passages)),
    activate: (generation) => indexing("PassageIndex.activate")(activateGeneration(database, building, generation)),
    abandon: (generation) =>
      indexing("PassageIndex.abandon")(
        Effect.asVoid(database.statement(building.abandon, generationParams(generation)))
      ),
    read: (document) =>
      indexing("PassageIndex.read")(
        isUuid(document.documentId) ? readGeneration(database, building, document) : Effect.succeed(undefined)
      ),
    search: ({ userId, documentIds, query, limit }) => {
      const named = documentIds.filter(isUuid)
      const searchable = searchableQuery(query)
      if (named.length === 0 || searchable === "" || limit <= 0) return Effect.succeed([])
      return storing("PassageIndex.search")(
        Effect.map(
          database.asUser(userId, (sql) => sql.query<FoundRow>(text.search, [userId, named, searchable, limit])),
          (rows) => rows.map(foundOf)
        )
      )
    }
  })
})

/** Passages in Postgres or PGlite, ranked by BM25 in SQL: exactly, within the documents named, by the owner's statistics. */
export const PgPassageIndexLayer: Layer.Layer<PassageIndex, never, Database> = Layer.effect(PassageIndex, make)
