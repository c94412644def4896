import { Effect } from "effect"
import { Database } from "../../src/database/Database.ts"

/** Statistics that differ from the sums over the owner's counted passages, and rows of deleted generations. */
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
       FULL JOIN (SELECT lexeme AS term, sum(cardinality(positions)) AS passages
         FROM ${schema}.passage_generations g JOIN ${schema}.postings p USING (user_id, document_id, generation),
           unnest(p.lexemes)
         WHERE user_id = $1 AND g.counted GROUP BY lexeme) c USING (term)
       WHERE s.passages IS DISTINCT FROM c.passages
     UNION ALL SELECT 'owner', user_id
       FROM (SELECT * FROM ${schema}.index_statistics WHERE user_id = $1) s
       FULL JOIN (SELECT user_id, count(*) AS passages, sum(p.length) AS terms
         FROM ${schema}.passages p JOIN ${schema}.passage_generations g USING (user_id, document_id, generation)
         WHERE user_id = $1 AND g.counted GROUP BY user_id) c USING (user_id)
       WHERE (s.passages, s.terms) IS DISTINCT FROM (c.passages, c.terms)`,
    [userId]
  )
})

/** Counts the searched and uncounted generations, as indexing does from time to time. */
export const countGenerations = Effect.fnUntraced(function* (userId: string) {
  const { schema, statement } = yield* Database
  return yield* statement(`SELECT ${schema}.count_generations($1) AS counted`, [userId])
})
