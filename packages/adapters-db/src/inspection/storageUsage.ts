import { Effect } from "effect"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { forPurpose } from "../database/limits.ts"
import { livesHere } from "../storage/leftRows.ts"

/** The bytes of a table on the database's disk, and the planner's estimate of its rows. */
export interface TableUsage extends Row {
  readonly table: string
  /** The bytes of the table with its indexes and its long values. */
  readonly bytes: number
  /** The bytes of the indexes alone. */
  readonly indexBytes: number
  readonly rows: number
}

/**
 * The bytes that one person stores: uploaded files in the database or in an object store, images, and the texts of
 * conversations, including those with the person's bots.
 */
export interface PersonUsage extends Row {
  readonly userId: string
  /** The bytes of uploaded files and images. */
  readonly files: number
  readonly texts: number
}

/** The sizes of the database, of its tables, and of the data of people. */
export interface StorageUsage {
  readonly databaseBytes: number
  /** The tables, the largest first. */
  readonly tables: ReadonlyArray<TableUsage>
  /** The people who store most. */
  readonly people: ReadonlyArray<PersonUsage>
}

const TABLES = `SELECT CASE WHEN n.nspname = $1 THEN c.relname ELSE n.nspname || '.' || c.relname END AS table,
    pg_total_relation_size(c.oid)::float8 AS bytes, pg_indexes_size(c.oid)::float8 AS "indexBytes",
    greatest(c.reltuples, 0)::float8 AS rows
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ($1, $1 || '_boss') AND c.relkind = 'r' ORDER BY 2 DESC, 1`

const peopleSql = (
  schema: string
) => `SELECT user_id AS "userId", sum(files)::float8 AS files, sum(texts)::float8 AS texts
  FROM (
    SELECT user_id, bytes AS files, 0 AS texts FROM ${schema}.documents
    UNION ALL SELECT user_id, octet_length(bytes), 0 FROM ${schema}.chat_images
    UNION ALL SELECT user_id, 0, bytes FROM ${schema}.chats
  ) stored WHERE ${livesHere(schema, "user_id")} GROUP BY user_id ORDER BY sum(files) + sum(texts) DESC, user_id LIMIT $1`

/**
 * Reads the sizes of all tables and of the data that people store. It reads every row of chats, images and documents
 * once, but not their content.
 */
export const storageUsage = (input: {
  /** The most people to return. */
  readonly people: number
}): Effect.Effect<StorageUsage, DatabaseError, Database | DatabaseOwner> =>
  forPurpose("audit")(
    Effect.gen(function* () {
      const { schema, statement } = yield* Database
      const { execute, schemaName } = yield* DatabaseOwner
      const tables = (yield* execute(TABLES, [schemaName])) as ReadonlyArray<TableUsage>
      const [size] = yield* execute("SELECT pg_database_size(current_database())::float8 AS bytes")
      const people = yield* statement<PersonUsage>(peopleSql(schema), [input.people])
      return { databaseBytes: Number(size?.["bytes"] ?? 0), tables, people }
    })
  )
