import { BM25, FEEDBACK } from "@parley/core/adapter"
import { configurationOf, plainTermOf, stemsOf, termOf } from "./stemsSql.ts"

/**
 * Scores are summed as whole billionths, which double precision adds exactly: equal passages have equal scores in whatever
 * order their terms are added.
 */
const SCORE_SCALE = "1000000000::float8"

const K1 = `${BM25.k1}::float8`
const B = `${BM25.b}::float8`
const ONE_MINUS_B = `${1 - BM25.b}::float8`

/** The entries of the terms in the documents named, read by document: a look-up for each document and term. */
const entriesByDocument = (schema: string) => `generations, weighted, LATERAL (
    SELECT entries FROM ${schema}.postings WHERE user_id = $1 AND postings.document_id = generations.document_id
      AND postings.generation = generations.generation AND postings.term = weighted.term OFFSET 0
  ) AS found`

/** The same read by term: one scan of all the owner's documents that have it. */
const entriesByTerm = (schema: string) => `weighted, LATERAL (
    SELECT document_id, generation, entries FROM ${schema}.postings
    WHERE user_id = $1 AND postings.term = weighted.term OFFSET 0
  ) AS found JOIN generations USING (document_id, generation)`

/**
 * BM25 as `scoreTerm` of the core has it, in the languages of the documents named. Parameters: the owner, the documents to
 * search, `searchableQuery`, the limit, the accented words among it, the same without accents. Beside the first passages comes what feedback asks: their terms, and of the very
 * first ones, in how many of the owner's passages each is. Each lateral look-up ends in OFFSET 0, which keeps it one scan of
 * the index it was written for, whatever the planner knows of the tables; an embedded database may never have been analysed.
 */
const search = (schema: string, entries: string) => `WITH generations AS MATERIALIZED (
    SELECT document_id, generation, language FROM ${schema}.passage_generations
    WHERE user_id = $1 AND active AND document_id = ANY($2::uuid[])
  ), stemmed AS MATERIALIZED (
    SELECT language, ${termOf("lexeme")} AS term, sum(cardinality(positions)) AS occurrences
    FROM (SELECT DISTINCT language FROM generations) AS languages, unnest(${stemsOf(configurationOf("language"), "$3")})
    GROUP BY 1, 2
  ), unaccented AS MATERIALIZED (
    SELECT language, ${termOf("plain_lexeme")} AS term, count(*) AS occurrences
    FROM (SELECT DISTINCT language FROM generations) AS languages, unnest($5::text[], $6::text[]) AS given (word, plain),
      LATERAL (SELECT array_agg(${termOf("lexeme")}) AS own FROM unnest(${stemsOf(configurationOf("language"), "word")})) AS o,
      LATERAL (SELECT lexeme AS plain_lexeme FROM unnest(${stemsOf(configurationOf("language"), "plain")})) AS p
    WHERE ${termOf("plain_lexeme")} <> ALL(own)
    GROUP BY 1, 2
  ), query AS (
    SELECT term, max(occurrences) AS occurrences FROM (
      SELECT term, occurrences FROM stemmed
      UNION ALL SELECT ${plainTermOf("term")}, occurrences FROM stemmed
      UNION ALL SELECT term, occurrences FROM unaccented
    ) AS each GROUP BY term
  ), corpus AS MATERIALIZED (
    SELECT passages::float8 AS passages, terms::float8 / nullif(passages, 0) AS average_length
    FROM ${schema}.index_statistics WHERE user_id = $1
  ), weighted AS MATERIALIZED (
    SELECT query.term, occurrences * ln(1 + (corpus.passages - s.passages + 0.5) / (s.passages + 0.5)) AS weight,
      average_length
    FROM corpus, query, LATERAL (
      SELECT passages FROM ${schema}.term_statistics WHERE user_id = $1 AND term_statistics.term = query.term OFFSET 0
    ) AS s
  ), scored AS MATERIALIZED (
    SELECT document_id, generation, (entry >> 32)::integer AS ordinal, sum(round(${SCORE_SCALE} * weight * (entry >> 16 & 65535) /
      ((entry >> 16 & 65535) + ${K1} * (${ONE_MINUS_B} + ${B} * (entry & 65535) / average_length)))) AS score
    FROM ${entries}, unnest(found.entries) AS entry
    GROUP BY document_id, generation, ordinal
    ORDER BY score DESC, document_id, ordinal LIMIT $4
  ), ranked AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY score DESC, document_id, ordinal) AS rank FROM scored
  )
  SELECT document_id, filename, ranked.ordinal, page, start_offset, end_offset, text, headings, score / ${SCORE_SCALE} AS score,
    length, CASE WHEN rank <= ${FEEDBACK.candidates} THEN terms END AS terms,
    CASE WHEN rank <= ${FEEDBACK.candidates} THEN frequencies END AS frequencies,
    CASE WHEN rank <= ${FEEDBACK.passages} THEN (
      SELECT string_agg(coalesce(s.passages, 0)::text, ' ' ORDER BY place)
      FROM string_to_table(terms, ' ') WITH ORDINALITY AS known (term, place)
      LEFT JOIN LATERAL (
        SELECT passages FROM ${schema}.term_statistics WHERE user_id = $1 AND term_statistics.term = known.term OFFSET 0
      ) AS s ON true
    ) END AS passages_with,
    (SELECT max(sum)::integer FROM (SELECT sum(occurrences) FROM stemmed GROUP BY language) AS each) AS occurrences,
    corpus.passages, average_length
  FROM corpus, ranked, LATERAL (
    SELECT page, start_offset, end_offset, text, headings, length, terms, frequencies
    FROM ${schema}.passages WHERE user_id = $1 AND passages.document_id = ranked.document_id
      AND passages.generation = ranked.generation AND passages.ordinal = ranked.ordinal OFFSET 0
  ) AS p, LATERAL (
    SELECT filename FROM ${schema}.documents WHERE user_id = $1 AND id = ranked.document_id OFFSET 0
  ) AS d
  ORDER BY rank`

/** The statements that search the tables in `schema`. */
export const passageSql = (schema: string) => ({
  searchFew: search(schema, entriesByDocument(schema)),
  searchMany: search(schema, entriesByTerm(schema))
})
