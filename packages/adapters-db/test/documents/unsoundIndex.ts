import { Effect } from "effect"
import { Database } from "../../src/database/Database.ts"

/** Statistics that are not what the searched passages of the owner add up to, and rows of what is gone. */
export const unsound = Effect.fnUntraced(function* (userId: string) {
  const { schema, statement } = yield* Database
  return yield* statement(
    `SELECT 'generations' AS problem, document_id::text AS what FROM ${schema}.passage_generations WHERE user_id = $1
       GROUP BY document_id HAVING count(*) <> 1 OR NOT bool_and(active)
     UNION ALL SELECT 'passages of no generation', p.document_id::text FROM ${schema}.passages p
       LEFT JOIN ${schema}.passage_generations g USING (user_id, document_id, generation)
       WHERE p.user_id = $1 AND g.generation IS NULL
     UNION ALL SELECT 'postings of no generation', p.document_id::text FROM ${schema}.postings p
       LEFT JOIN ${schema}.passage_generations g USING (user_id, document_id, generation)
       WHERE p.user_id = $1 AND g.generation IS NULL
     UNION ALL SELECT 'terms', coalesce(s.term, c.term)
       FROM (SELECT * FROM ${schema}.term_statistics WHERE user_id = $1 AND passages <> 0) s
       FULL JOIN (SELECT term, sum(cardinality(entries)) AS passages FROM ${schema}.postings
         JOIN ${schema}.passage_generations g USING (user_id, document_id, generation)
         WHERE user_id = $1 AND g.active GROUP BY term) c USING (term)
       WHERE s.passages IS DISTINCT FROM c.passages
     UNION ALL SELECT 'owner', s.user_id FROM ${schema}.index_statistics s WHERE s.user_id = $1 AND (
       s.passages <> (SELECT count(*) FROM ${schema}.passages p WHERE p.user_id = $1)
       OR s.terms <> (SELECT coalesce(sum(length), 0) FROM ${schema}.passages p WHERE p.user_id = $1))`,
    [userId]
  )
})
