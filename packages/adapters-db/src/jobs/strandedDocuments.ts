import type { Job } from "@parley/core"
import type { Effect } from "effect"
import type { Database, DatabaseError } from "../database/Database.ts"
import type { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { DOCUMENTS_QUEUE } from "./startBoss.ts"

/** How many are looked for at a time. */
const BATCH = 100

/**
 * Documents that wait to be processed though no job of theirs waits or runs: the worker of
 * their last try died, or they were left so long that the queue forgot their job. Oldest first.
 */
export const strandedDocuments = (
  database: Database["Service"],
  owner: DatabaseOwner["Service"]
): Effect.Effect<ReadonlyArray<Omit<Job, "_tag">>, DatabaseError> =>
  database.statement(
    `SELECT d.id AS "documentId", d.user_id AS "userId" FROM ${database.schema}.documents d
     WHERE d.status = 'processing' AND NOT EXISTS (
       SELECT FROM "${owner.schemaName}_boss".job j
       WHERE j.name = '${DOCUMENTS_QUEUE}' AND COALESCE(j.singleton_key, '') = d.id::text
         AND j.state <= 'active' AND j.policy = 'exclusive'
     )
     ORDER BY d.created_at LIMIT ${BATCH}`
  )
