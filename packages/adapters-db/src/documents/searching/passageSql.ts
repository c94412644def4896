import { BM25, FEEDBACK, FUSION, plainTerm } from "@parley/core/adapter"

/**
 * The statements that search the tables in `schema`: calls of the functions that the migrations make there. The first
 * parameters of all are the owner and the documents to search. `exactWithin` is as `ExactSearchPassages` says.
 */
export const passageSql = (schema: string, exactWithin: number) => {
  const words = `$1, $2::uuid[], $3, $4, $5, $6, '${plainTerm("")}', ${BM25.k1}, ${BM25.b}, ${FEEDBACK.candidates}, ${FEEDBACK.passages}`
  return {
    /** Parameters: `searchableQuery`, how many, the accented words among it, the same without accents. */
    byWords: `SELECT * FROM ${schema}.passages_by_words(${words})`,
    /**
     * Parameters: the embedding, the name of its model, the number of passages that are returned with their texts, the
     * schema of pgvector, and the documents and ordinals of passages that are compared in addition.
     */
    byMeaning: `SELECT * FROM ${schema}.passages_by_meaning($1, $2::uuid[], $3::real[], $4, ${FUSION.candidates}, $5, $7::uuid[], $8::integer[], $6, ${exactWithin})`,
    /** Parameters: those of `byWords`, then those of `byMeaning` as far as they are others. */
    byBoth: `SELECT * FROM ${schema}.passages_by_both(${words}, $7::real[], $8, ${FUSION.candidates}, $9, $10, ${exactWithin})`
  }
}

export type PassageSql = ReturnType<typeof passageSql>
