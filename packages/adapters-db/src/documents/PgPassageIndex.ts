import { type FoundPassage, isUuid, type Passage, PassageIndex, searchableQuery, searchableText } from "@parley/core"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { passageSql } from "./passageSql.ts"

/** Passages written by one statement, and the most that one row of postings speaks of. */
const STRETCH_LENGTH = 256

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

const stretchesOf = (passages: ReadonlyArray<Passage>): ReadonlyArray<ReadonlyArray<Passage>> =>
  Array.from({ length: Math.ceil(passages.length / STRETCH_LENGTH) }, (_, index) =>
    passages.slice(index * STRETCH_LENGTH, (index + 1) * STRETCH_LENGTH)
  )

const recordsOf = (passages: ReadonlyArray<Passage>): string =>
  JSON.stringify(
    passages.map(({ ordinal, page, start, end, text }) => {
      return { ordinal, page, start_offset: start, end_offset: end, text, searchable: searchableText(text) }
    })
  )

const make = Effect.map(Database, (database) => {
  const text = passageSql(database.schema)
  return PassageIndex.of({
    replace: ({ userId, documentId, passages }) =>
      storing("PassageIndex.replace")(
        database.asService((sql) =>
          Effect.gen(function* () {
            const document = [userId, documentId]
            if (!isUuid(documentId) || (yield* sql.query(text.lockDocument, document)).length === 0) return
            const [begun] = yield* sql.query<{ generation: number }>(text.beginGeneration, document)
            const generation = begun?.generation
            for (const stretch of stretchesOf(passages)) {
              const first = stretch[0]?.ordinal
              yield* sql.query(text.addStretch, [...document, generation, first, recordsOf(stretch)])
            }
            yield* sql.query(text.dropOthers, [...document, generation])
            yield* sql.query(text.activate, [...document, generation])
          })
        )
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
