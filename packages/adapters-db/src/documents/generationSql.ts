import { stemsOf, termOf } from "./stemsSql.ts"

const GENERATION = "user_id = $1 AND document_id = $2 AND generation = $3"

/** `count` rows of `columns` parameters each, which follow `first` parameters that all rows share. */
const rows = (count: number, first: number, row: (parameter: (column: number) => string) => string, columns: number) =>
  Array.from({ length: count }, (_, place) => row((column) => `$${first + place * columns + column}`)).join(", ")

/**
 * Statements on the generations of passages in `schema`. Each names the owner, and writes rows given as values, so that
 * a database sharded by owner runs it on one shard. The first parameters are owner, document and generation.
 */
export const generationSql = (schema: string) => ({
  /** Generations of one document begin and take over one after another. No row: the owner has no such document. */
  lockDocument: `SELECT id FROM ${schema}.documents WHERE user_id = $1 AND id = $2 FOR NO KEY UPDATE`,

  /** Parameters: the fingerprint of the unfinished generation to continue; the version of the parser that read the same text now. */
  continueUnfinished: `UPDATE ${schema}.passage_generations SET parser = $4
    WHERE user_id = $1 AND document_id = $2 AND NOT active AND fingerprint = $3 RETURNING generation, passages`,

  dropUnfinished: `DELETE FROM ${schema}.passage_generations WHERE user_id = $1 AND document_id = $2 AND NOT active`,

  nextNumber: `UPDATE ${schema}.documents SET generations = generations + 1 WHERE user_id = $1 AND id = $2
    RETURNING generations AS generation`,

  /** Parameters: fingerprint, page starts, headings, language, and by what: parser, version of the indexing, embedder. */
  begin: `INSERT INTO ${schema}.passage_generations
    (user_id, document_id, generation, active, fingerprint, page_starts, headings, language, parser, version, embedder,
      passages, terms)
    VALUES ($1, $2, $3, false, $4, $5, $6::jsonb, $7, $8, $9, $10, 0, 0)`,

  countTextParts: `SELECT count(*)::integer AS parts FROM ${schema}.document_texts WHERE ${GENERATION}`,

  /** Parameters: part, its start and end in UTF-16 units, text. */
  addText: `INSERT INTO ${schema}.document_texts
    (user_id, document_id, generation, part, start_offset, end_offset, text)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,

  /** Nothing else adds to the generation until the transaction ends. No row: it is gone. */
  lockGeneration: `SELECT active, passages, language FROM ${schema}.passage_generations WHERE ${GENERATION} FOR NO KEY UPDATE`,

  /**
   * The same, for a transaction that does not wait for the disk: what a crash of the server takes of a generation that is not
   * searched yet is written by the next try, and whatever is committed after it in the usual way keeps it.
   */
  lockGenerationToAdd: `SELECT active, passages, language, pg_catalog.set_config('synchronous_commit', 'off', true)
    FROM ${schema}.passage_generations WHERE ${GENERATION} FOR NO KEY UPDATE`,

  /**
   * The terms of words, each as often as it is in the word, none of a stop word; beside them, of an accented word, those of the
   * same without accents, as far as they are others. Parameters: the words, the same without accents, their language. Touches
   * no table.
   */
  findTerms: `SELECT word, terms, CASE WHEN word <> plain THEN (
      SELECT array_agg(DISTINCT term) FROM (SELECT ${termOf(schema, "lexeme")} AS term FROM unnest(${stemsOf(schema, "$3", "plain")})) AS other
      WHERE term <> ALL(terms)
    ) END AS plain
    FROM unnest($1::text[], $2::text[]) AS given (word, plain), LATERAL (
      SELECT array_agg(${termOf(schema, "lexeme")}) AS terms FROM unnest(${stemsOf(schema, "$3", "word")}) AS stem, unnest(positions) AS each
    ) AS own`,

  /** For each passage: ordinal, page, start, end, text, headings, length, terms, frequencies. */
  addPassages: (count: number) => `INSERT INTO ${schema}.passages
    (user_id, document_id, generation, ordinal, page, start_offset, end_offset, text, headings, length, terms, frequencies)
    VALUES ${rows(count, 3, (p) => `($1, $2, $3, ${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(6)}::jsonb, ${p(7)}, ${p(8)}, ${p(9)})`, 9)}`,

  /** Parameter: the first passage of the block. For each term: the term, its entries. */
  addPostings: (count: number) => `INSERT INTO ${schema}.postings
    (user_id, document_id, generation, block, term, entries)
    VALUES ${rows(count, 4, (p) => `($1, $2, $3, $4, ${p(1)}, ${p(2)}::bigint[])`, 2)}`,

  /** Parameter: the model. For each passage: ordinal, SHA-256 of what was embedded in hexadecimal, embedding. */
  addEmbeddings: (count: number) => `INSERT INTO ${schema}.passage_embeddings
    (user_id, document_id, generation, model, ordinal, content_hash, embedding)
    VALUES ${rows(count, 4, (p) => `($1, $2, $3, $4, ${p(1)}, decode(${p(2)}, 'hex'), ${p(3)}::real[])`, 3)}
    ON CONFLICT DO NOTHING`,

  /** Gives passages the embeddings that equal ones of the owner have. Parameters: the model; ordinals, and their hashes. */
  reuseEmbeddings: `INSERT INTO ${schema}.passage_embeddings
    (user_id, document_id, generation, model, ordinal, content_hash, embedding)
    SELECT $1::text, $2::uuid, $3::integer, $4::text, ordinal, decode(hash, 'hex'), embedding
    FROM unnest($5::integer[], $6::text[]) AS wanted (ordinal, hash), LATERAL (
      SELECT embedding FROM ${schema}.passage_embeddings
      WHERE user_id = $1 AND content_hash = decode(wanted.hash, 'hex') AND model = $4 LIMIT 1
    ) AS known
    ON CONFLICT DO NOTHING`,

  /** Which of these passages have an embedding. Parameter: ordinals. */
  findEmbedded: `SELECT ordinal FROM ${schema}.passage_embeddings WHERE ${GENERATION} AND ordinal = ANY($4::integer[])`,

  /** Which of these hashes the owner has an embedding of. Parameters: the owner, the model, hashes. */
  findKnown: `SELECT hash FROM unnest($3::text[]) AS asked (hash) WHERE EXISTS (
    SELECT FROM ${schema}.passage_embeddings WHERE user_id = $1 AND content_hash = decode(asked.hash, 'hex') AND model = $2
  )`,

  /** By what the active generations were made, and since when they are, in microseconds since 1970. Parameters: owners, documents. */
  findIndexings: `SELECT g.user_id AS "userId", g.document_id AS "documentId", g.parser, g.version, g.embedder, g.passages,
      (extract(epoch FROM g.activated_at) * 1000000)::bigint AS "activatedAt"
    FROM unnest($1::text[], $2::uuid[]) AS asked (user_id, document_id), LATERAL (
      SELECT * FROM ${schema}.passage_generations
      WHERE user_id = asked.user_id AND document_id = asked.document_id AND active OFFSET 0
    ) AS g`,

  /** How many passages the generation has; no row where it is gone. */
  findGeneration: `SELECT passages FROM ${schema}.passage_generations WHERE ${GENERATION}`,

  /** Parameters: passages added, terms in them. */
  countAdded: `UPDATE ${schema}.passage_generations SET passages = passages + $4, terms = terms + $5 WHERE ${GENERATION}`,

  dropOlder: `DELETE FROM ${schema}.passage_generations WHERE user_id = $1 AND document_id = $2 AND generation < $3`,

  activate: `UPDATE ${schema}.passage_generations SET active = true, activated_at = clock_timestamp() WHERE ${GENERATION}`,

  abandon: `DELETE FROM ${schema}.passage_generations WHERE ${GENERATION} AND NOT active`,

  findActive: `SELECT generation, passages, page_starts, headings FROM ${schema}.passage_generations
    WHERE user_id = $1 AND document_id = $2 AND active`,

  /** Parameters: the first part, how many. */
  readText: `SELECT text FROM ${schema}.document_texts WHERE ${GENERATION} AND part >= $4 ORDER BY part LIMIT $5`,

  /**
   * The parts of the active generation that have something of a stretch of the text, beside the length of the whole; one
   * row without a part where there is none. Parameters: owner, document, where the stretch starts and ends.
   */
  readExcerpt: `SELECT g.page_starts, t.start_offset, t.text, coalesce((
      SELECT max(e.end_offset) FROM ${schema}.document_texts e
      WHERE e.user_id = g.user_id AND e.document_id = g.document_id AND e.generation = g.generation), 0) AS length
    FROM ${schema}.passage_generations g
    LEFT JOIN ${schema}.document_texts t ON t.user_id = g.user_id AND t.document_id = g.document_id
      AND t.generation = g.generation AND t.start_offset < $4 AND t.end_offset > $3
    WHERE g.user_id = $1 AND g.document_id = $2 AND g.active ORDER BY t.part`,

  /** Parameters: the first passage, how many. */
  readPassages: `SELECT ordinal, page, start_offset, end_offset, text, headings FROM ${schema}.passages
    WHERE ${GENERATION} AND ordinal >= $4 ORDER BY ordinal LIMIT $5`
})

export type GenerationSql = ReturnType<typeof generationSql>
