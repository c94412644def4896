import { type AttachFileInput, ConversationFiles, storableText, type VisitorChat } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row, type Sql } from "../database/Database.ts"
import { documentsOf, type DocumentRow } from "../documents/storing/PgDocumentStore.ts"
import { storing } from "../storage/storageFailed.ts"
import { keyOf, OWNED, uuidOrNil } from "./chatSql.ts"

/** Statements of one conversation. The first four parameters are the owner's key and the chat. */
const texts = (schema: string) => ({
  /** Further parameter: the title. */
  begin: `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position) VALUES ($1, $2, $3, $4::uuid, $5, 0)
    ON CONFLICT DO NOTHING`,
  /** Locks the conversation; files are then attached one after another. */
  lock: `SELECT id FROM ${schema}.chats WHERE ${OWNED} AND id = $4::uuid FOR UPDATE`,
  /** Further parameter: the document. */
  attach: `UPDATE ${schema}.documents SET bot = $2, visitor = $3, chat_id = $4::uuid WHERE user_id = $1 AND id = $5::uuid
    RETURNING id`,
  /** Stores the ids of the files with the conversation, without those of files that were removed; returns their number. */
  keep: `UPDATE ${schema}.chats SET updated_at = clock_timestamp(), document_ids = ARRAY(
      SELECT id FROM ${schema}.documents WHERE ${OWNED} AND chat_id = $4::uuid ORDER BY created_at, id
    ) WHERE ${OWNED} AND id = $4::uuid RETURNING cardinality(document_ids) AS files`,
  /** The files of all visitors. Parameter: the owner of the bots. */
  taken: `SELECT count(*) AS files, coalesce(sum(bytes), 0)::float8 AS bytes FROM ${schema}.documents
    WHERE user_id = $1 AND chat_id IS NOT NULL`,
  list: `SELECT * FROM ${schema}.documents WHERE ${OWNED} AND chat_id = $4::uuid ORDER BY created_at, id`
})

const keyOfChat = ({ chatId, owner }: VisitorChat): ReadonlyArray<string> => [...keyOf(owner), uuidOrNil(chatId)]

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

const make = Effect.map(Database, ({ asService, schema, statementAsUser }) => {
  const attach = attachIn(schema)
  const text = texts(schema)
  return ConversationFiles.of({
    attach: (input) => storing("ConversationFiles.attach")(asService((sql) => attach(sql, input))),
    list: (chat) =>
      storing("ConversationFiles.list")(
        Effect.map(statementAsUser<DocumentRow>(chat.owner.botOwner, text.list, keyOfChat(chat)), documentsOf)
      )
  })
})

/**
 * The files of visitors' conversations in Postgres or PGlite. The service attaches them, since a person writes in no
 * conversation of a visitor; the owner of the bot reads them.
 */
export const PgConversationFilesLayer: Layer.Layer<ConversationFiles, never, Database> = Layer.effect(
  ConversationFiles,
  make
)
