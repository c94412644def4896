import { type FoundPassage, isUuid, type Passage, PassageIndex, searchableQuery, searchableText } from "@parley/core"
import { Effect, Layer } from "effect"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { passageSql } from "./passageSql.ts"

/** Passages written by one statement, and the most that one row of postings speaks of. */
const STRETCH_LENGTH = 128
/** Different words in them, at most: each is a row, and a text of nothing but different words has many. */
const STRETCH_WORDS = 4_000
const FOREIGN_KEY_VIOLATION = "23503"

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

const recordOf = ({ ordinal, page, start, end, text }: Passage) => ({
  ordinal,
  page,
  start_offset: start,
  end_offset: end,
  text,
  searchable: searchableText(text)
})

/** The passages as they are written, in stretches that one statement writes soon. */
function* stretchesOf(passages: ReadonlyArray<Passage>): Generator<ReadonlyArray<ReturnType<typeof recordOf>>> {
  let stretch: Array<ReturnType<typeof recordOf>> = []
  let words = new Set<string>()
  for (const passage of passages) {
    const record = recordOf(passage)
    stretch.push(record)
    for (const word of record.searchable.split(" ")) words.add(word)
    if (stretch.length < STRETCH_LENGTH && words.size < STRETCH_WORDS) continue
    yield stretch
    stretch = []
    words = new Set()
  }
  if (stretch.length > 0) yield stretch
}

/**
 * Builds a new generation beside the one that is searched, in many short transactions so that an embedded database, which
 * has one at a time, serves others in between; then puts it in place in one. Of replacements at the same moment the one
 * that began last stays. Inside a unit of work all of it is one transaction.
 */
const replacing = (database: Database["Service"], text: ReturnType<typeof passageSql>) => {
  const begin = (document: ReadonlyArray<string>) =>
    database.asService((sql) =>
      Effect.gen(function* () {
        if ((yield* sql.query(text.lockDocument, document)).length === 0) return undefined
        const [begun] = yield* sql.query<{ generation: number }>(text.beginGeneration, document)
        return begun?.generation
      })
    )
  const activate = (generation: ReadonlyArray<unknown>) =>
    database.asService((sql) =>
      Effect.gen(function* () {
        yield* sql.query(text.lockDocument, generation.slice(0, 2))
        yield* sql.query(text.dropOlder, generation)
        yield* sql.query(text.activate, generation)
      })
    )
  return Effect.fnUntraced(
    function* (userId: string, documentId: string, passages: ReadonlyArray<Passage>) {
      const number = yield* begin([userId, documentId])
      if (number === undefined) return
      const generation = [userId, documentId, number]
      for (const stretch of stretchesOf(passages)) {
        yield* database.statement(text.addStretch, [...generation, stretch[0]?.ordinal, JSON.stringify(stretch)])
      }
      yield* activate(generation)
    },
    Effect.catchIf(isSuperseded, () => Effect.void)
  )
}

/** The generation being written is gone: with its document, or for a newer one. */
const isSuperseded = (error: DatabaseError): boolean =>
  error.sqlState === FOREIGN_KEY_VIOLATION && error.constraint?.includes("generation") === true

const make = Effect.map(Database, (database) => {
  const text = passageSql(database.schema)
  const replace = replacing(database, text)
  return PassageIndex.of({
    replace: ({ userId, documentId, passages }) =>
      storing(
        "PassageIndex.replace",
        "documents"
      )(isUuid(documentId) ? replace(userId, documentId, passages) : Effect.void),
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
