import { BM25 } from "@parley/core/adapter"

/** Splits `searchableText` into stems without stop words. */
export const stems = (text: string): string => `to_tsvector('pg_catalog.english', ${text})`

/**
 * Scores are summed as whole billionths, which double precision adds exactly: equal passages have equal scores in whatever
 * order their terms are added.
 */
const SCORE_SCALE = "1000000000::float8"

const K1 = `${BM25.k1}::float8`
const B = `${BM25.b}::float8`
const ONE_MINUS_B = `${1 - BM25.b}::float8`

/** The statement that searches the tables in `schema`. */
export const passageSql = (schema: string) => ({
  /**
   * BM25 as `scoreTerm` of the core has it. Parameters: the owner, the documents to search, `searchableQuery`, the limit.
   * A term is counted over all the owner's passages by the index alone; of the documents named, every passage that has a
   * term is scored. Each lateral look-up ends in OFFSET 0, which keeps it one scan of the index it was written for,
   * whatever the planner knows of the tables; an embedded database may never have been analysed.
   */
  search: `WITH query AS MATERIALIZED (
      SELECT lexeme AS term, cardinality(positions) AS occurrences FROM unnest(${stems("$3")})
    ), corpus AS MATERIALIZED (
      SELECT sum(passages)::float8 AS passages, sum(terms)::float8 / nullif(sum(passages), 0) AS average_length
      FROM ${schema}.passage_generations WHERE user_id = $1 AND active
    ), inactive AS MATERIALIZED (
      SELECT document_id, generation FROM ${schema}.passage_generations WHERE user_id = $1 AND NOT active
    ), counted AS (
      SELECT term, occurrences, found.*, sum(found.passages) OVER (PARTITION BY term) AS n
      FROM query, LATERAL (
        SELECT document_id, generation, block, passages FROM ${schema}.postings
        WHERE user_id = $1 AND postings.term = query.term OFFSET 0
      ) AS found
      WHERE NOT EXISTS (
        SELECT FROM inactive WHERE inactive.document_id = found.document_id AND inactive.generation = found.generation
      )
    ), named AS MATERIALIZED (
      SELECT term, document_id, generation, block, average_length,
        occurrences * ln(1 + (corpus.passages - n + 0.5) / (n + 0.5)) AS weight
      FROM counted, corpus WHERE document_id = ANY($2::uuid[])
    ), scored AS MATERIALIZED (
      SELECT document_id, generation, ordinal, sum(round(${SCORE_SCALE} * weight * frequency /
        (frequency + ${K1} * (${ONE_MINUS_B} + ${B} * length / average_length)))) AS score
      FROM named, LATERAL (
        SELECT ordinals, frequencies, lengths FROM ${schema}.postings
        WHERE user_id = $1 AND postings.term = named.term AND postings.document_id = named.document_id
          AND postings.generation = named.generation AND postings.block = named.block OFFSET 0
      ) AS found, unnest(ordinals, frequencies, lengths) AS posting (ordinal, frequency, length)
      GROUP BY document_id, generation, ordinal
      ORDER BY score DESC, document_id, ordinal LIMIT $4
    )
    SELECT document_id, filename, ordinal, page, start_offset, end_offset, text, score / ${SCORE_SCALE} AS score
    FROM scored JOIN ${schema}.passages USING (document_id, generation, ordinal)
    JOIN ${schema}.documents ON documents.user_id = $1 AND documents.id = document_id
    WHERE passages.user_id = $1
    ORDER BY scored.score DESC, document_id, ordinal`
})
