import { FileStore, isUuid } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

/** Parts travel as base64: the embedded database reads and writes bytea as text, several times slower. */
const PART_BYTES = 1024 * 1024

/** How many parts there are: one even of nothing, so that an empty file is a file. */
const partsOf = (bytes: Uint8Array): number => Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES))

const make = Effect.map(Database, (database) => {
  const { schema } = database
  const removeSql = `DELETE FROM ${schema}.file_parts WHERE user_id = $1 AND document_id = $2`
  const insertSql = `INSERT INTO ${schema}.file_parts (user_id, document_id, part, bytes) VALUES ($1, $2, $3, decode($4, 'base64'))`
  const readSql = `SELECT encode(bytes, 'base64') AS base64 FROM ${schema}.file_parts
    WHERE user_id = $1 AND document_id = $2 ORDER BY part`
  return FileStore.of({
    write: ({ userId, documentId, bytes }) =>
      storing(
        "FileStore.write",
        "documents"
      )(
        database.asUser(userId, (sql) =>
          Effect.gen(function* () {
            yield* sql.query(removeSql, [userId, documentId])
            const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
            for (let part = 0; part < partsOf(bytes); part++) {
              const slice = whole.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
              yield* sql.query(insertSql, [userId, documentId, part, slice.toString("base64")])
            }
          })
        )
      ),
    read: ({ userId, documentId }) =>
      storing(
        "FileStore.read",
        "documents"
      )(
        isUuid(documentId)
          ? Effect.map(database.statement<{ base64: string }>(readSql, [userId, documentId]), (rows) =>
              rows.length === 0 ? undefined : Buffer.concat(rows.map((row) => Buffer.from(row.base64, "base64")))
            )
          : Effect.succeed(undefined)
      )
  })
})

/** Uploaded bytes in Postgres or PGlite, in parts of 1 MiB, written in the transaction that stores their document. */
export const PgFileStoreLayer: Layer.Layer<FileStore, never, Database> = Layer.effect(FileStore, make)
