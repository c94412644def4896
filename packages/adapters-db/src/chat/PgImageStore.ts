import { type ChatImage, ImageStore, isUuid, type StoredImage, UNUSED_IMAGE_MS } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { isWritable } from "../storage/leftRows.ts"
import { storing } from "../storage/storageFailed.ts"

interface ImageRow extends Row {
  readonly id: string
  readonly chat_id: string | null
  readonly media_type: ChatImage["mediaType"]
  readonly width: number
  readonly height: number
  readonly base64: string
}

const imageOf = ({ base64, chat_id, height, id, media_type, width }: ImageRow): StoredImage => ({
  id,
  mediaType: media_type,
  width,
  height,
  bytes: new Uint8Array(Buffer.from(base64, "base64")),
  chatId: chat_id ?? undefined
})

const imageSql = (schema: string) => ({
  /** Stores an image. SQL parameters: user id, image id, media type, width, height, content in base64. */
  add: `INSERT INTO ${schema}.chat_images (user_id, id, media_type, width, height, bytes)
    VALUES ($1, $2, $3, $4, $5, decode($6, 'base64'))`,
  /**
   * Reads the named images in their order, as long as they fit into a limit. SQL parameters: user id, image ids, the
   * most bytes of all images together.
   */
  read: `SELECT id, chat_id, media_type, width, height, encode(bytes, 'base64') AS base64 FROM (
      SELECT i.*, asked.place, sum(octet_length(i.bytes)) OVER (ORDER BY asked.place) AS together
      FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (id, place)
      JOIN ${schema}.chat_images i ON i.user_id = $1 AND i.id = asked.id
    ) image WHERE together <= $3 ORDER BY place`,
  list: `SELECT id FROM ${schema}.chat_images
    WHERE user_id = $1 AND ($2::uuid IS NULL OR id > $2::uuid) ORDER BY id LIMIT $3`,
  /** Deletes the oldest unused images. SQL parameter: the most images to delete. */
  removeUnused: `WITH removed AS (
    DELETE FROM ${schema}.chat_images i USING (
      SELECT user_id, id FROM ${schema}.chat_images
      WHERE chat_id IS NULL AND created_at < now() - ${UNUSED_IMAGE_MS} * interval '1 millisecond'
        AND ${isWritable(schema, "user_id")}
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ) unused WHERE i.user_id = unused.user_id AND i.id = unused.id RETURNING 1
  ) SELECT count(*) AS removed FROM removed`
})

const make = Effect.map(Database, (database) => {
  const sql = imageSql(database.schema)
  return ImageStore.of({
    add: (userId, { bytes, height, id, mediaType, width }) => {
      // The content is sent as base64, because the embedded database reads and writes bytea as text, which is several
      // times slower.
      const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
      const params = [userId, id, mediaType, width, height, base64]
      return storing("ImageStore.add")(Effect.asVoid(database.statementAsUser(userId, sql.add, params)))
    },
    read: (userId, imageIds, maxBytes) =>
      storing("ImageStore.read")(
        Effect.map(
          database.statementAsUser<ImageRow>(userId, sql.read, [userId, imageIds.filter(isUuid), maxBytes]),
          (rows) => rows.map(imageOf)
        )
      ),
    list: (userId, { after, limit }) =>
      storing("ImageStore.list")(
        Effect.map(database.statementAsUser<{ id: string }>(userId, sql.list, [userId, after ?? null, limit]), (rows) =>
          rows.map(({ id }) => id)
        )
      ),
    removeUnused: (limit) =>
      storing(
        "ImageStore.removeUnused",
        "maintenance"
      )(
        Effect.map(database.statement<{ removed: number }>(sql.removeUnused, [limit]), ([row]) =>
          Number(row?.removed ?? 0)
        )
      )
  })
})

/**
 * Images of people's messages in Postgres or PGlite. Statements run with the owner's rights, except for the removal of
 * unused images.
 */
export const PgImageStoreLayer: Layer.Layer<ImageStore, never, Database> = Layer.effect(ImageStore, make)
