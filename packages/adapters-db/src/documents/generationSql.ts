import { stems } from "./passageSql.ts"

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

  /** Parameter: the fingerprint of the unfinished generation to continue. */
  findUnfinished: `SELECT generation, passages FROM ${schema}.passage_generations
    WHERE user_id = $1 AND document_id = $2 AND NOT active AND fingerprint = $3`,

  dropUnfinished: `DELETE FROM ${schema}.passage_generations WHERE user_id = $1 AND document_id = $2 AND NOT active`,

  nextNumber: `UPDATE ${schema}.documents SET generations = generations + 1 WHERE user_id = $1 AND id = $2
    RETURNING generations AS generation`,

  /** Parameters: fingerprint, page starts. */
  begin: `INSERT INTO ${schema}.passage_generations
    (user_id, document_id, generation, active, fingerprint, page_starts, passages, terms)
    VALUES ($1, $2, $3, false, $4, $5, 0, 0)`,

  countTextParts: `SELECT count(*)::integer AS parts FROM ${schema}.document_texts WHERE ${GENERATION}`,

  /** Parameters: part, text. */
  addText: `INSERT INTO ${schema}.document_texts (user_id, document_id, generation, part, text)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,

  /** Nothing else adds to the generation until the transaction ends. No row: it is gone. */
  lockGeneration: `SELECT active, passages FROM ${schema}.passage_generations WHERE ${GENERATION} FOR NO KEY UPDATE`,

  /**
   * Which terms occur in which of the texts in $1 (by their index, from 0) and how often. Parameter: `searchableText` of
   * each. Touches no table.
   */
  findTerms: `SELECT lexeme AS term, array_agg(place::integer - 1 ORDER BY place) AS places,
      array_agg(cardinality(positions) ORDER BY place) AS frequencies
    FROM unnest($1::text[]) WITH ORDINALITY AS given (searchable, place), unnest(${stems("searchable")})
    GROUP BY lexeme`,

  /** For each passage: ordinal, page, start, end, text, terms. */
  addPassages: (count: number) => `INSERT INTO ${schema}.passages
    (user_id, document_id, generation, ordinal, page, start_offset, end_offset, text, terms)
    VALUES ${rows(count, 3, (p) => `($1, $2, $3, ${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(6)})`, 6)}`,

  /** Parameter: the first passage of the block. For each term: the term, ordinals, frequencies, lengths. */
  addPostings: (count: number) => `INSERT INTO ${schema}.postings
    (user_id, document_id, generation, block, term, passages, ordinals, frequencies, lengths)
    VALUES ${rows(count, 4, (p) => `($1, $2, $3, $4, ${p(1)}, cardinality(${p(2)}::integer[]), ${p(2)}::integer[], ${p(3)}, ${p(4)})`, 4)}`,

  /** Parameters: passages added, terms in them. */
  countAdded: `UPDATE ${schema}.passage_generations SET passages = passages + $4, terms = terms + $5 WHERE ${GENERATION}`,

  dropOlder: `DELETE FROM ${schema}.passage_generations WHERE user_id = $1 AND document_id = $2 AND generation < $3`,

  activate: `UPDATE ${schema}.passage_generations SET active = true WHERE ${GENERATION}`,

  abandon: `DELETE FROM ${schema}.passage_generations WHERE ${GENERATION} AND NOT active`,

  findActive: `SELECT generation, passages, page_starts FROM ${schema}.passage_generations
    WHERE user_id = $1 AND document_id = $2 AND active`,

  /** Parameters: the first part, how many. */
  readText: `SELECT text FROM ${schema}.document_texts WHERE ${GENERATION} AND part >= $4 ORDER BY part LIMIT $5`,

  /** Parameters: the first passage, how many. */
  readPassages: `SELECT ordinal, page, start_offset, end_offset, text FROM ${schema}.passages
    WHERE ${GENERATION} AND ordinal >= $4 ORDER BY ordinal LIMIT $5`
})

export type GenerationSql = ReturnType<typeof generationSql>
