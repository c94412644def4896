import {
  type Chat,
  ChatStore,
  isUuid,
  MAX_TRANSCRIPT_BYTES,
  type Source,
  storableText,
  storedBytes,
  type StoredMessage
} from "@parley/core"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { beginTurnSql, endTurnSql, listSql, removeSql, transcriptSql, usageSql } from "./chatSql.ts"

interface ChatRow extends Row {
  readonly id: string
  readonly title: string
  readonly created_at: Date
  readonly updated_at: Date
}

/** A chat's row with one of its messages; the message's columns are null where it has none. */
interface TranscriptRow extends ChatRow {
  readonly message_id: string | null
  readonly position: number | null
  readonly role: StoredMessage["role"]
  readonly content: string
  readonly state: StoredMessage["state"]
  readonly model: string | null
  readonly sources: ReadonlyArray<Source>
  readonly message_created_at: Date
}

const chatOf = (row: ChatRow): Chat => ({
  id: row.id,
  title: row.title,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

const messageOf = (row: TranscriptRow): StoredMessage => ({
  id: row.message_id ?? "",
  role: row.role,
  content: row.content,
  state: row.state,
  model: row.model ?? undefined,
  sources: row.sources,
  createdAt: row.message_created_at.getTime()
})

/** JSON for jsonb: its texts cleaned of what Postgres refuses there. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? storableText(inner) : inner))

const NIL = "00000000-0000-0000-0000-000000000000"

/** What is no id names no message, and neither does the nil one. */
const idOrNil = (id: string | undefined): string | null => (id === undefined || isUuid(id) ? (id ?? null) : NIL)

const make = Effect.map(Database, (database) => {
  const { schema } = database
  const sqlTexts = {
    begin: beginTurnSql(schema),
    end: endTurnSql(schema),
    transcript: transcriptSql(schema),
    list: listSql(schema),
    count: `SELECT count(*) AS total FROM ${schema}.chats WHERE user_id = $1`,
    usage: usageSql(schema),
    remove: removeSql(schema)
  }
  return ChatStore.of({
    beginTurn: ({ userId, chatId, continues, title, messages, reply }) => {
      const added = messages.map(({ role, content }) => ({ role, content, state: "complete" }))
      const begun = { ...reply, role: "assistant", content: "", state: "streaming" }
      const bytes = messages.reduce((sum, each) => sum + storedBytes(each.content), storedBytes("", reply.sources))
      const stored = storableJson([...added, begun])
      const params = [userId, chatId, storableText(title), added.length + 1, reply.id, stored, continues, bytes]
      return storing("ChatStore.beginTurn")(
        Effect.catchTag(
          database.asUser(userId, (sql) => Effect.asVoid(sql.query(sqlTexts.begin, params))),
          "DatabaseError",
          (error) => (error.constraint === "messages_id" ? Effect.void : Effect.fail(error))
        )
      )
    },
    endTurn: ({ userId, chatId, replyId, content, state }) =>
      storing("ChatStore.endTurn")(
        database.asUser(userId, (sql) =>
          Effect.asVoid(sql.query(sqlTexts.end, [userId, chatId, replyId, storableText(content), state]))
        )
      ),
    transcript: ({ userId, chatId, limit, before, maxBytes = MAX_TRANSCRIPT_BYTES }) =>
      storing("ChatStore.transcript")(
        isUuid(chatId)
          ? Effect.map(
              database.asUser(userId, (sql) =>
                sql.query<TranscriptRow>(sqlTexts.transcript, [userId, chatId, limit, maxBytes, idOrNil(before)])
              ),
              (rows) =>
                rows[0] && {
                  chat: chatOf(rows[0]),
                  messages: rows.filter((row) => row.message_id !== null).map(messageOf),
                  hasEarlier: Number(rows[0].position ?? 1) > 1
                }
            )
          : Effect.succeed(undefined)
      ),
    list: ({ userId, limit, offset }) =>
      storing("ChatStore.list")(
        database.asUser(userId, (sql) =>
          Effect.gen(function* () {
            const [counted] = yield* sql.query<{ total: number }>(sqlTexts.count, [userId])
            const rows = yield* sql.query<ChatRow>(sqlTexts.list, [userId, limit, offset])
            return { chats: rows.map(chatOf), total: counted?.total ?? 0 }
          })
        )
      ),
    usage: (userId) =>
      storing("ChatStore.usage")(
        Effect.map(
          database.asUser(userId, (sql) => sql.query<{ bytes: number }>(sqlTexts.usage, [userId])),
          (rows) => Number(rows[0]?.bytes ?? 0)
        )
      ),
    remove: (userId, chatId) =>
      storing("ChatStore.remove")(
        isUuid(chatId)
          ? Effect.map(
              database.asUser(userId, (sql) => sql.query(sqlTexts.remove, [userId, chatId])),
              (rows) => rows.length > 0
            )
          : Effect.succeed(false)
      )
  })
})

/** Chats in Postgres or PGlite, always as their owner. */
export const PgChatStoreLayer: Layer.Layer<ChatStore, never, Database> = Layer.effect(ChatStore, make)
