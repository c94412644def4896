import { Effect } from "effect"
import { Database, type DatabaseError } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"

/** The state of a database, for operators. */
export interface DatabaseState {
  /** The version of the server. */
  readonly server: string
  /** The login of the connection. */
  readonly login: string
  /** True if the two roles exist under which statements run. */
  readonly hasRoles: boolean
  /** Whether pgvector is installed in the database, only available on the server, or missing. */
  readonly pgvector: "added" | "available" | "missing"
  /** The number of tables that pg_dump cannot dump completely for this login, because they belong to another login. */
  readonly fencedTables: number
}

/** This statement runs as the login itself, because the two roles may not exist yet. */
const STATE = `SELECT current_setting('server_version') AS server,
  (SELECT count(*) FROM pg_roles WHERE rolname IN ('parley_user', 'parley_service')) = 2 AS "hasRoles",
  CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') THEN 'added'
    WHEN EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN 'available' ELSE 'missing' END AS pgvector,
  current_user::text AS login,
  (SELECT count(*)::integer FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')
    AND row_security_active(oid)) AS "fencedTables"`

/** Returns the state of the database, whether it is migrated or not. */
export const inspectDatabase: Effect.Effect<DatabaseState, DatabaseError, Database | DatabaseOwner> = Effect.gen(
  function* () {
    const { schema } = yield* Database
    const { execute } = yield* DatabaseOwner
    const [state] = yield* execute(STATE, [schema])
    return state as unknown as DatabaseState
  }
)

const unfinishedText = (schema: string) => `SELECT count(*)::integer AS count FROM ${schema}.documents d
  WHERE d.status = 'ready' AND EXISTS (SELECT FROM ${schema}.passage_generations g
    WHERE g.user_id = d.user_id AND g.document_id = d.id AND NOT g.active)`

const movedText = (schema: string) =>
  `SELECT count(*)::integer AS count FROM ${schema}.file_objects WHERE moved_at IS NOT NULL`

const largestText = (schema: string) => `SELECT coalesce(max(passages), 0)::float8 AS count
  FROM (SELECT sum(passages) AS passages FROM ${schema}.passage_generations WHERE active GROUP BY user_id) AS libraries`

const counted = (textOf: (schema: string) => string): Effect.Effect<number, DatabaseError, Database> =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const [row] = yield* statement<{ readonly count: number }>(textOf(schema))
    return row?.count ?? 0
  })

/** Returns the number of ready documents whose re-indexing is unfinished. */
export const unfinishedReindexing = counted(unfinishedText)

/** Returns the number of uploaded files whose bytes are in an object store. */
export const movedFiles = counted(movedText)

/** Returns the number of passages in the largest library. */
export const largestLibrary = counted(largestText)
