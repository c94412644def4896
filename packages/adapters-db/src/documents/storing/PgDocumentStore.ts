import type { Document } from "@parley/core"
import {
  cursorOf,
  type DocumentChange,
  type DocumentPage,
  DocumentStore,
  type Inserted,
  isUuid,
  pageOf,
  positionIn,
  storableText
} from "@parley/core/adapter"
import { Effect, Layer, Schema } from "effect"
import { Database, type Row } from "../../database/Database.ts"
import { storing } from "../../storage/storageFailed.ts"
import { livesHere } from "../../storage/leftRows.ts"

export interface DocumentRow extends Row {
  readonly id: string
  readonly user_id: string
  readonly filename: string
  readonly type: Document["type"]
  readonly bytes: number
  readonly status: Document["status"]
  readonly progress: number
  readonly reason: string | null
  readonly reason_code: Document["reasonCode"] | null
  readonly notice: string | null
  readonly pages: number | null
  readonly passages: number | null
  readonly created_at: Date
  /** The conversation to which a visitor attached the document; all three are null for a person's own document. */
  readonly bot: string | null
  readonly visitor: string | null
  readonly chat_id: string | null
}

/** The row that the SQL function `insert_document` returns. */
interface Insertion extends Row {
  readonly documents: number
  readonly bytes: number
  readonly failed: number
  readonly inserted: boolean
  readonly known: boolean
  readonly same_as: string | null
}

const conversationOf = ({ bot, chat_id: id, visitor }: DocumentRow): Pick<Document, "conversation"> =>
  bot === null || visitor === null || id === null ? {} : { conversation: { bot, visitor, id } }

const documentOf = (row: DocumentRow): Document => ({
  id: row.id,
  userId: row.user_id,
  filename: row.filename,
  type: row.type,
  bytes: row.bytes,
  status: row.status,
  progress: row.progress,
  reason: row.reason ?? undefined,
  reasonCode: row.reason_code ?? undefined,
  notice: row.notice ?? undefined,
  pages: row.pages ?? undefined,
  passages: row.passages ?? undefined,
  createdAt: row.created_at.getTime(),
  ...conversationOf(row)
})

export const documentsOf = (rows: ReadonlyArray<DocumentRow>): ReadonlyArray<Document> => rows.map(documentOf)

const insertParams = (document: Document): ReadonlyArray<unknown> => [
  document.userId,
  document.id,
  storableText(document.filename),
  document.type,
  document.bytes,
  document.status,
  document.progress,
  document.reason === undefined ? null : storableText(document.reason),
  document.reasonCode ?? null,
  document.pages,
  document.passages,
  new Date(document.createdAt)
]

const changeParams = (
  userId: string,
  id: string,
  from: ReadonlyArray<string>,
  change: DocumentChange
): ReadonlyArray<unknown> => [
  userId,
  id,
  from,
  change.status,
  change.progress,
  change.reason === undefined ? null : storableText(change.reason),
  change.reasonCode ?? null,
  change.pages,
  change.passages,
  change.notice === undefined ? null : storableText(change.notice)
]

const texts = (schema: string) => ({
  /**
   * Inserts a document. SQL parameters: the document's columns, the most documents and the most bytes that its owner
   * may have, the SHA-256 of the content in hexadecimal.
   */
  insert: `SELECT * FROM ${schema}.insert_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, decode($15, 'hex'))`,
  find: `SELECT * FROM ${schema}.documents WHERE user_id = $1 AND id = ANY($2::uuid[])`,
  exists: `SELECT FROM ${schema}.documents WHERE id = $1 AND ${livesHere(schema, "user_id")} LIMIT 1`,
  list: `SELECT * FROM ${schema}.documents WHERE user_id = $1 ORDER BY created_at DESC, id`,
  update: `UPDATE ${schema}.documents SET status = $4, progress = $5, reason = $6, reason_code = $7, pages = $8, passages = $9, notice = $10
    WHERE user_id = $1 AND id = $2 AND status = ANY($3::text[]) RETURNING id`,
  /**
   * Lists documents by status. SQL parameters: owner and id of the last document of the previous page or nulls, limit,
   * then those of `conditions`. The status is part of the text, so that the planner uses the partial index on documents
   * that are being processed.
   */
  listByStatus: (status: Document["status"], conditions: string) => `SELECT * FROM ${schema}.documents
    WHERE status = '${status}' AND ($1::text IS NULL OR (user_id, id) > ($1, $2::uuid)) ${conditions}
    ORDER BY user_id, id LIMIT $3`,
  remove: `DELETE FROM ${schema}.documents WHERE user_id = $1 AND id = $2 RETURNING id`
})

type Texts = ReturnType<typeof texts>

/**
 * Runs `work` if the id is undefined or has the form of a UUID, and returns `none` otherwise: no document has such an
 * id.
 */
const ifUuid = <A, E>(id: string | undefined, none: A, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  id === undefined || isUuid(id) ? work : Effect.succeed(none)

const insertInto = (
  database: Database["Service"],
  text: string,
  ...[document, quota, content]: Parameters<DocumentStore["Service"]["insert"]>
) =>
  Effect.map(
    database.statementAsUser<Insertion>(document.userId, text, [
      ...insertParams(document),
      quota.maxDocuments,
      quota.maxDocumentBytes,
      content ?? null
    ]),
    ([answer]): Inserted => {
      const { bytes = 0, documents = 0, failed = 0, inserted = false, known = false } = answer ?? {}
      if (!inserted) return { _tag: "Full", documents, bytes, failed }
      return known ? { _tag: "Known" } : { _tag: "Inserted", sameAs: answer?.same_as ?? undefined }
    }
  )

/** The position of a document in a list: its owner and its id. */
const KeyPosition = Schema.Tuple([Schema.String, Schema.String])

const listed = (
  database: Database["Service"],
  text: Texts,
  { after, documentId, limit, status, userId }: DocumentPage
) => {
  const [lastOwner = null, lastId = null] = positionIn(KeyPosition, after) ?? []
  const from = [lastOwner, lastId, limit + 1]
  const named = [userId, documentId].filter((name) => name !== undefined)
  const conditions = [
    `AND ${userId === undefined ? livesHere(database.schema, "user_id") : "user_id = $4"}`,
    ...(documentId === undefined ? [] : [`AND id = $${3 + named.length}::uuid`])
  ]
  const page = text.listByStatus(status, conditions.join(" "))
  const found = ifUuid(
    documentId,
    [],
    Effect.map(database.statement<DocumentRow>(page, [...from, ...named]), documentsOf)
  )
  return Effect.map(found, (documents) => pageOf(documents, limit, (last) => cursorOf(last.userId, last.id)))
}

const make = Effect.map(Database, (database) => {
  const text = texts(database.schema)
  const isAny = (rows: ReadonlyArray<Row>) => rows.length > 0
  return DocumentStore.of({
    insert: (...given) => storing("DocumentStore.insert")(insertInto(database, text.insert, ...given)),
    find: (userId, ids) =>
      storing("DocumentStore.find")(
        Effect.map(database.statementAsUser<DocumentRow>(userId, text.find, [userId, ids.filter(isUuid)]), documentsOf)
      ),
    exists: (id) =>
      storing("DocumentStore.exists")(ifUuid(id, false, Effect.map(database.statement(text.exists, [id]), isAny))),
    list: (userId) =>
      storing("DocumentStore.list")(
        Effect.map(
          database.asUser(userId, (sql) => sql.query<DocumentRow>(text.list, [userId])),
          documentsOf
        )
      ),
    update: (userId, id, from, change) =>
      storing("DocumentStore.update")(
        ifUuid(id, false, Effect.map(database.statement(text.update, changeParams(userId, id, from, change)), isAny))
      ),
    listByStatus: (page) =>
      storing("DocumentStore.listByStatus", "jobs")(Effect.suspend(() => listed(database, text, page))),
    remove: (userId, id) =>
      storing(
        "DocumentStore.remove",
        "documents"
      )(
        ifUuid(
          id,
          false,
          Effect.map(
            database.asUser(userId, (sql) => sql.query(text.remove, [userId, id])),
            isAny
          )
        )
      )
  })
})

/** Documents in Postgres or PGlite. Requests of people run as `parley_user`, jobs run as the service. */
export const PgDocumentStoreLayer: Layer.Layer<DocumentStore, never, Database> = Layer.effect(DocumentStore, make)
