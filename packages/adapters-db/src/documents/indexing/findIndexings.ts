import { type DocumentKey, type Indexing, isUuid } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"

interface IndexingRow extends Row {
  readonly userId: string
  readonly documentId: string
  readonly parser: string | null
  readonly version: number | null
  readonly embedder: string | null
  readonly passages: number
  readonly activatedAt: number | null
}

/** `PassageIndex.indexings`: moments are microseconds since 1970, by the database's clock. */
export const findIndexings = (
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
