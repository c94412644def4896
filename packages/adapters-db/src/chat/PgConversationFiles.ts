import {
  type AttachFileInput,
  ConversationFiles,
  type FilesOf,
  storableText,
  type VisitorChat
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row, type Sql } from "../database/Database.ts"
import { documentsOf, type DocumentRow } from "../documents/storing/PgDocumentStore.ts"
import { isWritable } from "../storage/leftRows.ts"
import { storing } from "../storage/storageFailed.ts"
import { keyOf, OWNED, uuidOrNil } from "./chatSql.ts"

/**
 * The SQL statements on one conversation. Their first four parameters are the owner's key (user id, bot, visitor) and
 * the id of the chat.
 */
const texts = (schema: string) => ({
  /** Begins the conversation. One more SQL parameter: the title. */
  begin: `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position) VALUES ($1, $2, $3, $4::uuid, $5, 0)
    ON CONFLICT DO NOTHING`,
  /** Locks the conversation, so that concurrent calls attach their files one after another. */
  lock: `SELECT id FROM ${schema}.chats WHERE ${OWNED} AND id = $4::uuid FOR UPDATE`,
  /** Attaches a document to the conversation. One more SQL parameter: the id of the document. */
  attach: `UPDATE ${schema}.documents SET bot = $2, visitor = $3, chat_id = $4::uuid WHERE user_id = $1 AND id = $5::uuid
    RETURNING id`,
  /** Stores the ids of the files that still exist with the conversation, and returns the number of these files. */
  keep: `UPDATE ${schema}.chats SET updated_at = clock_timestamp(), document_ids = ARRAY(
      SELECT id FROM ${schema}.documents WHERE ${OWNED} AND chat_id = $4::uuid ORDER BY created_at, id
    ) WHERE ${OWNED} AND id = $4::uuid RETURNING cardinality(document_ids) AS files`,
  /** The number and the bytes of the files of all visitors. SQL parameter: the user id of the bots' owner. */
  taken: `SELECT count(*) AS files, coalesce(sum(bytes), 0)::float8 AS bytes FROM ${schema}.documents
    WHERE user_id = $1 AND chat_id IS NOT NULL`,
  list: `SELECT * FROM ${schema}.documents WHERE ${OWNED} AND chat_id = $4::uuid ORDER BY created_at, id`
})

const keyOfChat = ({ chatId, owner }: VisitorChat): ReadonlyArray<string> => [...keyOf(owner), uuidOrNil(chatId)]

/** Returns the SQL statements that delete one file each. */
const removals = (schema: string) => {
  const one = (found: string) => `DELETE FROM ${schema}.documents d USING (${found}) f
    WHERE d.user_id = f.user_id AND d.id = f.id RETURNING d.id`
  return {
    ofChat: one(`SELECT user_id, id FROM ${schema}.documents WHERE ${OWNED} AND chat_id = $4::uuid LIMIT 1`),
    /** One file of a bot's conversations. SQL parameters: the user id of the bot's owner, the id of the bot. */
    ofBot: one(
      `SELECT user_id, id FROM ${schema}.documents WHERE user_id = $1 AND bot = $2 AND chat_id IS NOT NULL LIMIT 1`
    ),
    /**
     * One file of an unused conversation. The conversation is locked, so that it cannot be used at the same time. SQL
     * parameter: the least time without use in milliseconds.
     */
    unused: one(`SELECT o.user_id, o.id FROM ${schema}.documents o
      JOIN ${schema}.chats c ON c.user_id = o.user_id AND c.bot = o.bot AND c.visitor = o.visitor AND c.id = o.chat_id
      WHERE o.chat_id IS NOT NULL AND c.updated_at < now() - $1::float8 * interval '1 millisecond'
      AND ${isWritable(schema, "o.user_id")} AND NOT EXISTS (
        SELECT FROM ${schema}.running_replies r
        WHERE r.user_id = c.user_id AND r.bot = c.bot AND r.visitor = c.visitor AND r.chat_id = c.id)
      LIMIT 1 FOR UPDATE OF c SKIP LOCKED`)
  }
}

const removeOneIn = ({ schema, statement, statementAsUser }: Database["Service"]) => {
  const text = removals(schema)
  return (of: FilesOf) => {
    if ("unusedForMs" in of) return statement(text.unused, [of.unusedForMs])
    if ("bot" in of) return statementAsUser(of.botOwner, text.ofBot, [of.botOwner, of.bot])
    return statementAsUser(of.owner.botOwner, text.ofChat, keyOfChat(of))
  }
}

const attachIn = (schema: string) => {
  const text = texts(schema)
  return Effect.fnUntraced(function* (sql: Sql, input: AttachFileInput) {
    const { continues, document, maxFiles, owner, quota } = input
    const key = keyOfChat(input)
    if (!continues) yield* sql.query(text.begin, [...key, storableText(document.filename)])
    const locked = yield* sql.query(text.lock, key)
    if (locked.length === 0) return "NoConversation"
    const attached = yield* sql.query(text.attach, [...key, document.id])
    if (attached.length === 0) return "NoConversation"
    const [kept] = yield* sql.query<Row & { readonly files: number }>(text.keep, key)
    if ((kept?.files ?? 0) > maxFiles) return "TooMany"
    const [taken] = yield* sql.query<Row & { readonly files: number; readonly bytes: number }>(text.taken, [
      owner.botOwner
    ])
    const { bytes = 0, files = 0 } = taken ?? {}
    return files <= quota.maxDocuments && bytes <= quota.maxDocumentBytes ? "Attached" : "Full"
  })
}

const make = Effect.map(Database, (database) => {
  const { asService, schema, statementAsUser } = database
  const removeOne = removeOneIn(database)
  const attach = attachIn(schema)
  const text = texts(schema)
  return ConversationFiles.of({
    attach: (input) => storing("ConversationFiles.attach")(asService((sql) => attach(sql, input))),
    list: (chat) =>
      storing("ConversationFiles.list")(
        Effect.map(statementAsUser<DocumentRow>(chat.owner.botOwner, text.list, keyOfChat(chat)), documentsOf)
      ),
    removeOne: (of) =>
      storing("ConversationFiles.removeOne", "documents")(Effect.map(removeOne(of), (rows) => rows.length > 0))
  })
})

/**
 * The files of visitors' conversations in Postgres or PGlite. The service attaches the files, because no person may
 * write in a visitor's conversation; the owner of the bot reads them.
 */
export const PgConversationFilesLayer: Layer.Layer<ConversationFiles, never, Database> = Layer.effect(
  ConversationFiles,
  make
)
