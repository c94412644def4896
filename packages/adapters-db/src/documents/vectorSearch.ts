import type { Embedding, Heading } from "@parley/core/adapter"
import { FUSION } from "@parley/core/adapter"
import { Effect, Ref } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { quoteIdentifier } from "../database/quoting.ts"

/** A passage as a search reads it. */
export interface PassageRow extends Row {
  readonly document_id: string
  readonly filename: string
  readonly ordinal: number
  readonly page: number | null
  readonly start_offset: number
  readonly end_offset: number
  readonly text: string
  readonly headings: ReadonlyArray<Heading> | null
}

/** A passage by its nearness to a query. */
export interface NearRow extends PassageRow {
  readonly similarity: number
}

export interface VectorSearchInput {
  readonly userId: string
  readonly documentIds: ReadonlyArray<string>
  readonly embedding: Embedding
  /** Only embeddings of this model are compared. */
  readonly model: string
  /** Passages whose nearness is wanted whatever it is. */
  readonly beside: ReadonlyArray<Pick<PassageRow, "document_id" | "ordinal">>
}

/**
 * The passages nearest to an embedding by the cosine, and those asked for beside. Parameters: the owner, the documents to
 * search, the embedding, its model, documents and ordinals of what is asked beside. Every embedding of the documents named
 * is compared: ordered by an expression of the distance, which no approximate index serves, since one would leave out most
 * of what is named without a word. The lateral look-up ends in OFFSET 0, which keeps it one scan by the key.
 */
const nearest = (schema: string, vector: string) => `WITH generations AS MATERIALIZED (
    SELECT document_id, generation FROM ${schema}.passage_generations
    WHERE user_id = $1 AND active AND document_id = ANY($2::uuid[])
  ), near AS MATERIALIZED (
    SELECT document_id, generation, ordinal,
      1 - (embedding::${vector}.vector OPERATOR(${vector}.<=>) $3::real[]::${vector}.vector) AS similarity
    FROM generations, LATERAL (
      SELECT ordinal, embedding FROM ${schema}.passage_embeddings
      WHERE user_id = $1 AND passage_embeddings.document_id = generations.document_id
        AND passage_embeddings.generation = generations.generation AND model = $4 OFFSET 0
    ) AS found
  ), chosen AS (
    (SELECT * FROM near ORDER BY similarity DESC, document_id, ordinal LIMIT ${FUSION.candidates})
    UNION SELECT near.* FROM near JOIN unnest($5::uuid[], $6::integer[]) AS beside (document_id, ordinal)
      USING (document_id, ordinal)
  )
  SELECT chosen.document_id, filename, chosen.ordinal, page, start_offset, end_offset, text, headings, similarity
  FROM chosen, LATERAL (
    SELECT page, start_offset, end_offset, text, headings FROM ${schema}.passages
    WHERE user_id = $1 AND passages.document_id = chosen.document_id AND passages.generation = chosen.generation
      AND passages.ordinal = chosen.ordinal OFFSET 0
  ) AS p, LATERAL (
    SELECT filename FROM ${schema}.documents WHERE user_id = $1 AND id = chosen.document_id OFFSET 0
  ) AS d
  ORDER BY similarity DESC, document_id, ordinal`

const FIND_EXTENSION = `SELECT nspname AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
  WHERE extname = 'vector'`

/** Searches by embeddings; gives undefined where the database has no pgvector, which is looked for until it is there. */
export const makeVectorSearch = Effect.fnUntraced(function* ({ schema, statementAsUser }: Database["Service"]) {
  const known = yield* Ref.make<string | undefined>(undefined)
  const warned = yield* Ref.make(false)

  const findExtension = Effect.fnUntraced(function* (userId: string) {
    const before = yield* Ref.get(known)
    if (before !== undefined) return before
    const [found] = yield* statementAsUser<{ schema: string }>(userId, FIND_EXTENSION)
    if (found !== undefined) {
      const quoted = quoteIdentifier(found.schema)
      yield* Ref.set(known, quoted)
      return quoted
    }
    if (!(yield* Ref.getAndSet(warned, true))) {
      yield* Effect.logWarning("The database has no pgvector; documents are searched by words alone.")
    }
    return undefined
  })

  return Effect.fnUntraced(function* (
    input: VectorSearchInput
  ): Effect.fn.Return<ReadonlyArray<NearRow> | undefined, DatabaseError> {
    const { beside, documentIds, embedding, model, userId } = input
    const vector = yield* findExtension(userId)
    if (vector === undefined) return undefined
    return yield* statementAsUser<NearRow>(userId, nearest(schema, vector), [
      userId,
      documentIds,
      embedding,
      model,
      beside.map((row) => row.document_id),
      beside.map((row) => row.ordinal)
    ])
  })
})

export type VectorSearch = Effect.Success<ReturnType<typeof makeVectorSearch>>
