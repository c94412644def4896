import { FileStore, isUuid, NOTHING_MOVED, type Objects, ObjectStore, StorageFailed } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../../database/Database.ts"
import { storing } from "../../storage/storageFailed.ts"
import { moveFiles } from "./moveFiles.ts"

/**
 * The size of a stored part. Parts are sent as base64, because the embedded database reads and writes bytea as text,
 * which is several times slower.
 */
const PART_BYTES = 1024 * 1024

/** Returns the number of parts of a file; an empty file has one part. */
const partsOf = (bytes: Uint8Array): number => Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES))

/** A part of a file, or the key of the object that contains the whole file. */
interface FileRow extends Row {
  readonly base64: string | null
  readonly object_key: string | null
  readonly size: number | null
}

const texts = (schema: string) => ({
  /** Locks the document, so that its file is not moved to the object store while it is written again. */
  lock: `SELECT 1 FROM ${schema}.documents WHERE user_id = $1 AND id = $2 FOR NO KEY UPDATE`,
  remove: `WITH forgotten AS (DELETE FROM ${schema}.file_objects WHERE user_id = $1 AND document_id = $2)
    DELETE FROM ${schema}.file_parts WHERE user_id = $1 AND document_id = $2`,
  insert: `INSERT INTO ${schema}.file_parts (user_id, document_id, part, bytes) VALUES ($1, $2, $3, decode($4, 'base64'))`,
  read: `SELECT part, encode(bytes, 'base64') AS base64, NULL AS object_key, NULL::bigint AS size
      FROM ${schema}.file_parts WHERE user_id = $1 AND document_id = $2
    UNION ALL SELECT 0, NULL, object_key, size
      FROM ${schema}.file_objects WHERE user_id = $1 AND document_id = $2 AND moved_at IS NOT NULL
    ORDER BY part`,
  /**
   * Reads bytes of one part. SQL parameters: owner, document, number of the part, position of the first byte in the
   * part, number of bytes.
   */
  readSome: `SELECT encode(substring(p.bytes FROM $4::integer + 1 FOR $5::integer), 'base64') AS base64,
      o.object_key, o.size
    FROM ${schema}.documents d
    LEFT JOIN ${schema}.file_parts p ON p.user_id = d.user_id AND p.document_id = d.id AND p.part = $3
    LEFT JOIN ${schema}.file_objects o ON o.user_id = d.user_id AND o.document_id = d.id AND o.moved_at IS NOT NULL
    WHERE d.user_id = $1 AND d.id = $2 AND (
      o.object_key IS NOT NULL
      OR EXISTS (SELECT FROM ${schema}.file_parts f WHERE f.user_id = $1 AND f.document_id = $2 AND f.part = 0)
    )`
})

/** Returns the object store to which files were moved; fails if none is configured. */
const movedTo = (objects: Objects | undefined, operation: string): Effect.Effect<Objects, StorageFailed> =>
  objects === undefined
    ? Effect.fail(
        new StorageFailed({
          operation,
          retryable: false,
          cause: new Error("This file was moved to an object store, and none is configured.")
        })
      )
    : Effect.succeed(objects)

const make = Effect.gen(function* () {
  const database = yield* Database
  const objects = yield* ObjectStore
  const text = texts(database.schema)

  return FileStore.of({
    write: ({ userId, documentId, bytes }) =>
      storing(
        "FileStore.write",
        "documents"
      )(
        database.asUser(userId, (sql) =>
          Effect.gen(function* () {
            yield* sql.query(text.lock, [userId, documentId])
            yield* sql.query(text.remove, [userId, documentId])
            const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
            for (let part = 0; part < partsOf(bytes); part++) {
              const slice = whole.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
              yield* sql.query(text.insert, [userId, documentId, part, slice.toString("base64")])
            }
          })
        )
      ),
    read: Effect.fnUntraced(function* ({ userId, documentId }) {
      if (!isUuid(documentId)) return undefined
      const operation = "FileStore.read"
      const rows = yield* storing(operation, "documents")(database.statement<FileRow>(text.read, [userId, documentId]))
      const moved = rows.find(({ object_key }) => object_key !== null)?.object_key
      if (moved != null) return yield* (yield* movedTo(objects, operation)).read(moved)
      return rows.length === 0
        ? undefined
        : Buffer.concat(rows.map(({ base64 }) => Buffer.from(base64 ?? "", "base64")))
    }),
    readSome: Effect.fnUntraced(function* ({ userId, documentId, offset, length }) {
      if (!isUuid(documentId)) return undefined
      const operation = "FileStore.readSome"
      const within = offset % PART_BYTES
      const params = [userId, documentId, (offset - within) / PART_BYTES, within, Math.min(length, PART_BYTES - within)]
      const [row] = yield* storing(
        operation,
        "documents"
      )(database.statementAsUser<FileRow>(userId, text.readSome, params))
      if (row === undefined) return undefined
      if (row.object_key === null) return Buffer.from(row.base64 ?? "", "base64")
      if (offset >= Number(row.size) || length === 0) return new Uint8Array()
      return yield* (yield* movedTo(objects, operation)).readSome(row.object_key, offset, length)
    }),
    move: ({ limit }) =>
      objects === undefined
        ? Effect.succeed(NOTHING_MOVED)
        : storing("FileStore.move", "documents")(moveFiles(database, objects, limit))
  })
})

/**
 * Uploaded files in Postgres or PGlite, in parts of 1 MiB, which are written in the transaction that stores their
 * document. If an `ObjectStore` is configured, `move` later moves the bytes there.
 */
export const PgFileStoreLayer: Layer.Layer<FileStore, never, Database> = Layer.effect(FileStore, make)
