import { Effect } from "effect"
import type { Database, DatabaseError } from "../database/Database.ts"
import type { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { DOCUMENTS_QUEUE } from "./startBoss.ts"

/** How many are looked for at a time. */
const BATCH = 100

/**
 * Documents that wait to be processed though no job of theirs waits or runs: asked for anew in the very moment their last
 * try was ending, or left so long that the queue forgot their job. Gives their ids, oldest first.
 */
export const strandedDocuments = (
  database: Database["Service"],
  owner: DatabaseOwner["Service"]
): Effect.Effect<ReadonlyArray<string>, DatabaseError> =>
  Effect.map(
    database.statement<{ id: string }>(
      `SELECT d.id FROM ${database.schema}.documents d
       WHERE d.status = 'processing' AND NOT EXISTS (
         SELECT FROM "${owner.schemaName}_boss".job j
         WHERE j.name = '${DOCUMENTS_QUEUE}' AND j.singleton_key = d.id::text AND j.state IN ('created', 'retry', 'active')
       )
       ORDER BY d.created_at LIMIT ${BATCH}`
    ),
    (rows) => rows.map(({ id }) => id)
  )
