import { BM25, FEEDBACK, FUSION, plainTerm } from "@parley/core/adapter"

/**
 * The SQL statements that search the tables in `schema`. They call functions that the migrations create there. Their
 * first two parameters are the owner and the documents to search. `exactWithin` is the limit of `ExactSearchPassages`.
 */
export const passageSql = (schema: string, exactWithin: number) => {
  const words = `$1, $2::uuid[], $3, $4, $5, $6, '${plainTerm("")}', ${BM25.k1}, ${BM25.b}, ${FEEDBACK.candidates}, ${FEEDBACK.passages}`
  return {
    /**
     * Search by words. Further SQL parameters: the text of `searchableQuery`, the most results, the accented words of
     * the text, the same words without accents.
     */
    byWords: `SELECT * FROM ${schema}.passages_by_words(${words})`,
    /**
     * Search by meaning. Further SQL parameters: the embedding, the name of its model, the number of passages that are
     * returned with their texts, the schema of pgvector, and the documents and ordinals of passages to be compared in
     * addition.
     */
    byMeaning: `SELECT * FROM ${schema}.passages_by_meaning($1, $2::uuid[], $3::real[], $4, ${FUSION.candidates}, $5, $7::uuid[], $8::integer[], $6, ${exactWithin})`,
    /**
     * Both searches. SQL parameters: those of `byWords`, then the embedding, the name of its model, the number of
     * passages with texts, and the schema of pgvector.
     */
    byBoth: `SELECT * FROM ${schema}.passages_by_both(${words}, $7::real[], $8, ${FUSION.candidates}, $9, $10, ${exactWithin})`
  }
}

export type PassageSql = ReturnType<typeof passageSql>
