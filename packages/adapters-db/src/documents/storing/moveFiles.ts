import { type FilesMoved, NOTHING_MOVED, type Objects, type StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"
import { isWritable } from "../../storage/leftRows.ts"

/** A document whose bytes are to be moved to the object store, and the key of the new object. */
interface ClaimedFile extends Row {
  readonly user_id: string
  readonly document_id: string
  readonly object_key: string
}

/** The number of concurrent moves. It is low because each file is in memory while it is moved. */
const AT_ONCE = 2

/**
 * Claims documents whose processing has ended and whose bytes are still in the database. Either they have no object
 * yet, or the writing of their object began long ago and never ended. The lock prevents new writes meanwhile. SQL
 * parameter: the most documents.
 */
const claimText = (schema: string) => `
  WITH left_over AS (
    SELECT o.user_id, o.document_id FROM ${schema}.file_objects o
    WHERE o.moved_at IS NULL AND o.begun_at < now() - interval '15 minutes' AND ${isWritable(schema, "o.user_id")}
    LIMIT $1
  ), fresh AS (
    SELECT p.user_id, p.document_id FROM ${schema}.file_parts p
    WHERE p.part = 0 AND NOT EXISTS (
      SELECT FROM ${schema}.file_objects o WHERE o.user_id = p.user_id AND o.document_id = p.document_id
    ) AND EXISTS (
      SELECT FROM ${schema}.documents d
      WHERE d.user_id = p.user_id AND d.id = p.document_id AND d.status <> 'processing'
    ) AND ${isWritable(schema, "p.user_id")} LIMIT $1
  ), locked AS (
    SELECT d.user_id, d.id FROM ${schema}.documents d
    JOIN (SELECT * FROM left_over UNION SELECT * FROM fresh LIMIT $1) c ON c.user_id = d.user_id AND c.document_id = d.id
    FOR UPDATE OF d SKIP LOCKED
  )
  INSERT INTO ${schema}.file_objects AS f (user_id, document_id, object_key, size, begun_at)
  SELECT l.user_id, l.id, gen_random_uuid()::text, (
    SELECT sum(octet_length(p.bytes)) FROM ${schema}.file_parts p WHERE p.user_id = l.user_id AND p.document_id = l.id
  ), now()
  FROM locked l
  ON CONFLICT (user_id, document_id) DO UPDATE SET begun_at = now()
    WHERE f.moved_at IS NULL AND f.begun_at < now() - interval '15 minutes'
  RETURNING f.user_id, f.document_id, f.object_key`

const readText = (schema: string) => `
  SELECT encode(p.bytes, 'base64') AS base64 FROM ${schema}.file_parts p
  JOIN ${schema}.file_objects o ON o.user_id = p.user_id AND o.document_id = p.document_id AND o.object_key = $3
  WHERE p.user_id = $1 AND p.document_id = $2 ORDER BY p.part`

/**
 * Every writer locks the document first, because a deletion of the document locks all its rows: so writers cannot
 * deadlock.
 */
const lockText = (schema: string) =>
  `SELECT 1 FROM ${schema}.documents WHERE user_id = $1 AND id = $2 FOR NO KEY UPDATE`

const movedText = (schema: string) => `
  UPDATE ${schema}.file_objects SET moved_at = now()
  WHERE user_id = $1 AND document_id = $2 AND object_key = $3 AND moved_at IS NULL RETURNING 1`

const removePartsText = (schema: string) => `DELETE FROM ${schema}.file_parts WHERE user_id = $1 AND document_id = $2`

/** Moves the bytes of some documents into `objects`, and removes objects that are no longer needed. */
export const moveFiles = Effect.fnUntraced(function* (
  database: Database["Service"],
  objects: Objects,
  limit: number
): Effect.fn.Return<FilesMoved, DatabaseError | StorageFailed> {
  const { schema } = database

  const move = Effect.fnUntraced(function* (file: ClaimedFile) {
    const name = [file.user_id, file.document_id, file.object_key]
    const parts = yield* database.statement<{ base64: string }>(readText(schema), name)
    // The file was deleted or written again meanwhile.
    if (parts.length === 0) return 0
    yield* objects.put(file.object_key, Buffer.concat(parts.map(({ base64 }) => Buffer.from(base64, "base64"))))
    return yield* database.asService(({ query }) =>
      Effect.gen(function* () {
        yield* query(lockText(schema), name.slice(0, 2))
        const moved = yield* query(movedText(schema), name)
        if (moved.length > 0) yield* query(removePartsText(schema), name.slice(0, 2))
        return moved.length
      })
    )
  })

  const garbage = yield* database.statement<{ object_key: string }>(
    `SELECT object_key FROM ${schema}.file_garbage WHERE due_at <= now() ORDER BY due_at LIMIT $1`,
    [limit]
  )
  const keys = garbage.map(({ object_key }) => object_key)
  yield* Effect.forEach(keys, (key) => objects.remove(key), { concurrency: AT_ONCE, discard: true })
  if (keys.length > 0) {
    yield* database.statement(`DELETE FROM ${schema}.file_garbage WHERE object_key = ANY($1)`, [keys])
  }
  const claimed = yield* database.statement<ClaimedFile>(claimText(schema), [limit])
  const moved = yield* Effect.forEach(claimed, move, { concurrency: AT_ONCE })
  return { ...NOTHING_MOVED, moved: moved.reduce((sum, one) => sum + one, 0), removed: keys.length }
})
