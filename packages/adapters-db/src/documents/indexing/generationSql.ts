/** Returns an SQL expression that splits words of a language into stems with their positions, without stop words. */
export const stemsOf = (schema: string, language: string, words: string): string =>
  `to_tsvector(${schema}.text_configuration(${language})::regconfig, ${words})`

/**
 * Returns an SQL expression for the same result as `foldedTerm` of the core: a stem without the marks on its letters.
 */
export const termOf = (schema: string, stem: string): string => `${schema}.folded_term(${stem})`

const GENERATION = "user_id = $1 AND document_id = $2 AND generation = $3"

/**
 * The SQL statements on generations of passages in `schema`. Each has the owner in a condition. If a comment does not
 * list them, the first parameters are the owner, the document and the generation.
 */
export const generationSql = (schema: string) => ({
  /**
   * Begins or finds an unfinished generation. All SQL parameters: owner, document, fingerprint, page starts, headings,
   * language, parser, version of the indexing, embedder, end and text of the first part of the text.
   */
  begin: `SELECT * FROM ${schema}.begin_generation($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10, $11)`,

  /** Returns the most frequent language of the owner's other documents. All SQL parameters: owner, document. */
  findUsualLanguage: `SELECT language FROM ${schema}.passage_generations WHERE user_id = $1 AND document_id <> $2 AND active
    GROUP BY language ORDER BY count(*) DESC, language LIMIT 1`,

  countTextParts: `SELECT count(*)::integer AS parts FROM ${schema}.document_texts WHERE ${GENERATION}`,

  /**
   * Stores a part of the text. Further SQL parameters: number of the part, its start and end in UTF-16 units, its text.
   */
  addText: `INSERT INTO ${schema}.document_texts
    (user_id, document_id, generation, part, start_offset, end_offset, text)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,

  /**
   * Returns the terms of each word, a term as often as it occurs in the word; stop words have none. For an accented
   * word it also returns the terms of the word without accents, if they differ. All SQL parameters: the words, the same
   * words without accents, their language. Reads no table.
   */
  findTerms: `SELECT word, terms, CASE WHEN word <> plain THEN (
      SELECT array_agg(DISTINCT term) FROM (SELECT ${termOf(schema, "lexeme")} AS term FROM unnest(${stemsOf(schema, "$3", "plain")})) AS other
      WHERE term <> ALL(terms)
    ) END AS plain
    FROM unnest($1::text[], $2::text[]) AS given (word, plain), LATERAL (
      SELECT array_agg(${termOf(schema, "lexeme")}) AS terms FROM unnest(${stemsOf(schema, "$3", "word")}) AS stem, unnest(positions) AS each
    ) AS own`,

  /**
   * Stores a block of passages. Further SQL parameters, in this order: the ordinal of the first passage; for each
   * passage its page, start, end, text, headings, length, terms and frequencies of terms; for each part of the postings
   * its number, lexemes and high frequencies; the number of all these lexemes; for the embeddings their model, the
   * ordinals of their passages, the SHA-256 of the texts in hexadecimal, and all their numbers; and whether to wait for
   * the disk.
   */
  addPassages: `SELECT * FROM ${schema}.add_passages($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
    $18, $19, $20, $21)`,

  /**
   * Stores a whole document; returns a row if the owner has the document. All SQL parameters: those of `begin`, then
   * those of `addPassages` from the ordinal of the first passage, without the last one.
   */
  put: `SELECT ${schema}.put_document($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
    $20, $21, $22, $23, $24, $25, $26, $27, $28) AS put`,

  /**
   * Stores embeddings. Further SQL parameters: their model, the ordinals of the passages, the hashes of the texts, all
   * numbers of the embeddings.
   */
  addEmbeddings: `WITH given AS MATERIALIZED (SELECT $7::real[] AS numbers, cardinality($7::real[]) / cardinality($5::integer[]) AS dimensions)
    INSERT INTO ${schema}.passage_embeddings (user_id, document_id, generation, model, ordinal, content_hash, embedding)
    SELECT $1, $2, $3, $4, ordinal, decode(hash, 'hex'), numbers[(place - 1) * dimensions + 1:place * dimensions]
    FROM given, unnest($5::integer[], $6::text[]) WITH ORDINALITY AS embedded (ordinal, hash, place)
    ON CONFLICT DO NOTHING`,

  /**
   * Copies stored embeddings of equal texts. Further SQL parameters: the model, the ordinals of the passages, the
   * hashes of their texts.
   */
  reuseEmbeddings: `SELECT * FROM ${schema}.reuse_embeddings($1, $2, $3, $4, $5, $6)`,

  /**
   * Returns those hashes for which the owner has an embedding. All SQL parameters: the owner, the model, the hashes.
   */
  findKnown: `SELECT hash FROM unnest($3::text[]) AS asked (hash) WHERE EXISTS (
    SELECT FROM ${schema}.passage_embeddings WHERE user_id = $1 AND content_hash = decode(asked.hash, 'hex') AND model = $2
  )`,

  /**
   * Returns the versions of active generations, and the times of their activation in microseconds since 1970. All SQL
   * parameters: the owners, the documents.
   */
  findIndexings: `SELECT g.user_id AS "userId", g.document_id AS "documentId", g.parser, g.version, g.embedder, g.passages,
      (extract(epoch FROM g.activated_at) * 1000000)::bigint AS "activatedAt"
    FROM unnest($1::text[], $2::uuid[]) AS asked (user_id, document_id), LATERAL (
      SELECT * FROM ${schema}.passage_generations
      WHERE user_id = asked.user_id AND document_id = asked.document_id AND active OFFSET 0
    ) AS g`,

  /** Returns the number of the generation's passages and its language; no row if the generation was deleted. */
  findGeneration: `SELECT passages, language FROM ${schema}.passage_generations WHERE ${GENERATION}`,

  /** Makes searches use the generation; returns false if the generation no longer exists. */
  activate: `SELECT ${schema}.activate_generation($1, $2, $3) AS active`,

  abandon: `DELETE FROM ${schema}.passage_generations WHERE ${GENERATION} AND NOT active`,

  findActive: `SELECT generation, passages, page_starts, headings FROM ${schema}.passage_generations
    WHERE user_id = $1 AND document_id = $2 AND active`,

  /** Reads parts of the text. Further SQL parameters: the number of the first part, the number of parts. */
  readText: `SELECT text FROM ${schema}.document_texts WHERE ${GENERATION} AND part >= $4 ORDER BY part LIMIT $5`,

  /**
   * Returns the parts of the active generation's text that overlap a range, each with the length of the whole text; one
   * row without a part if none overlaps. All SQL parameters: owner, document, start and end of the range.
   */
  readExcerpt: `SELECT g.page_starts, t.start_offset, t.text, coalesce((
      SELECT max(e.end_offset) FROM ${schema}.document_texts e
      WHERE e.user_id = g.user_id AND e.document_id = g.document_id AND e.generation = g.generation), 0) AS length
    FROM ${schema}.passage_generations g
    LEFT JOIN ${schema}.document_texts t ON t.user_id = g.user_id AND t.document_id = g.document_id
      AND t.generation = g.generation AND t.start_offset < $4 AND t.end_offset > $3
    WHERE g.user_id = $1 AND g.document_id = $2 AND g.active ORDER BY t.part`,

  /**
   * Selects passages for `PassageIndex.spread`. All SQL parameters: owner, documents, the most passages of each
   * document.
   */
  spread: `SELECT d.id AS document_id, d.filename, p.ordinal, p.page, p.start_offset, p.end_offset, p.text, p.headings
    FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (id, place)
    JOIN ${schema}.documents d ON d.user_id = $1 AND d.id = asked.id
    JOIN ${schema}.passage_generations g ON g.user_id = d.user_id AND g.document_id = d.id AND g.active
    CROSS JOIN LATERAL (SELECT least($3::integer, g.passages) AS count) AS taken
    CROSS JOIN LATERAL generate_series(0, taken.count - 1) AS slot
    JOIN ${schema}.passages p ON p.user_id = g.user_id AND p.document_id = g.document_id AND p.generation = g.generation
      AND p.ordinal = slot::bigint * g.passages / taken.count
    ORDER BY asked.place, p.ordinal`,

  /** Reads passages. Further SQL parameters: the ordinal of the first passage, the number of passages. */
  readPassages: `SELECT ordinal, page, start_offset, end_offset, text, headings FROM ${schema}.passages
    WHERE ${GENERATION} AND ordinal >= $4 ORDER BY ordinal LIMIT $5`
})

export type GenerationSql = ReturnType<typeof generationSql>
