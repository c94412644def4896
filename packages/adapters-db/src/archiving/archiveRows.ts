import { AUDIT_KEPT_MS } from "@parley/core/adapter"
import { Effect } from "effect"
import { chooseUnusedSql } from "../chat/chatSql.ts"
import { Database, type DatabaseError, type Sql } from "../database/Database.ts"
import { forPurpose } from "../database/limits.ts"
import { isWritable } from "../storage/leftRows.ts"

/**
 * The kinds of rows that are moved out of the database when they are old enough. Unused chats of people and unused
 * conversations of visitors leave with all their messages, and so do entries of the audit log. Of the payment
 * provider's completed events only the content leaves: their rows stay, so that an event that is delivered again much
 * later is still recognised.
 */
export const ARCHIVED_KINDS = ["chats", "conversations", "audit", "payments"] as const
export type ArchivedKind = (typeof ARCHIVED_KINDS)[number]

/**
 * The most rows in one batch. A batch of chats has at most this many messages in all, unless its oldest chat alone has
 * more.
 */
const PER_BATCH = 1_000

/**
 * The SQL statements that move one kind of rows in one transaction. They identify a row by its place: its `ctid` or its
 * key, as text.
 */
interface Statements {
  /**
   * Selects the places of the oldest rows of one batch, and locks rows that may change. SQL parameters: the least age
   * in milliseconds, the limit of the batch.
   */
  readonly choose: string
  /**
   * For images of the chosen chats: `places` lists the places of all images, `read` returns one image as JSON in
   * `line`. Images are read one by one because a single image can be large.
   */
  readonly images?: { readonly places: string; readonly read: string }
  /**
   * Removes the rows in the given places, and returns each as JSON in `line`. It is a second statement, so that it
   * reads the rows as they are after `choose` has locked them.
   */
  readonly take: string
}

const chats = (schema: string, whose: "people" | "visitors"): Statements => ({
  choose: `${chooseUnusedSql(schema, whose)}
SELECT row_place::text AS place FROM chosen ORDER BY chosen.place`,
  images: {
    places: `SELECT i.ctid::text AS place FROM ${schema}.chat_images i
JOIN ${schema}.chats c ON c.user_id = i.user_id AND c.bot = i.bot AND c.visitor = i.visitor AND c.id = i.chat_id
WHERE c.ctid = ANY($1::text[]::tid[])`,
    read: `SELECT json_build_object('imageId', i.id, 'userId', i.user_id, 'chatId', i.chat_id, 'mediaType', i.media_type,
  'createdAt', i.created_at, 'base64', translate(encode(i.bytes, 'base64'), E'\\n', ''))::text AS line
FROM ${schema}.chat_images i WHERE i.ctid = $1::tid`
  },
  take: `WITH found AS MATERIALIZED (
  SELECT c.updated_at, json_build_object('userId', c.user_id, 'bot', nullif(c.bot, ''), 'visitor', nullif(c.visitor, ''),
    'id', c.id, 'title', c.title, 'createdAt', c.created_at, 'updatedAt', c.updated_at, 'handover', (
      SELECT json_build_object('state', h.state, 'email', h.email, 'page', h.page, 'askedAt', h.asked_at)
      FROM ${schema}.handovers h
      WHERE h.user_id = c.user_id AND h.bot = c.bot AND h.visitor = c.visitor AND h.chat_id = c.id
    ), 'files', (
      SELECT coalesce(json_agg(json_build_object('filename', d.filename, 'type', d.type, 'bytes', d.bytes,
        'createdAt', d.created_at) ORDER BY d.created_at, d.id), '[]')
      FROM ${schema}.documents d
      WHERE d.user_id = c.user_id AND d.bot = c.bot AND d.visitor = c.visitor AND d.chat_id = c.id
    ), 'messages', (
      SELECT coalesce(json_agg(json_build_object('id', m.id, 'parentId', (
          SELECT p.id FROM ${schema}.messages p
          WHERE p.user_id = m.user_id AND p.bot = m.bot AND p.visitor = m.visitor AND p.chat_id = m.chat_id
            AND p.position = coalesce(m.parent_position, m.position - 1)
        ), 'role', m.role, 'content', m.content, 'state', m.state,
        'model', m.model, 'author', m.author, 'sources', m.sources, 'unread', coalesce(m.unread, '[]'),
        'imageIds', coalesce(to_json(m.image_ids), '[]'), 'rating', m.rating, 'createdAt', m.created_at) ORDER BY m.position), '[]')
      FROM ${schema}.messages m
      WHERE m.user_id = c.user_id AND m.bot = c.bot AND m.visitor = c.visitor AND m.chat_id = c.id
    ))::text AS line
  FROM ${schema}.chats c WHERE c.ctid = ANY($1::text[]::tid[])
), removed AS (
  DELETE FROM ${schema}.chats WHERE ctid = ANY($1::text[]::tid[])
)
SELECT line FROM found ORDER BY updated_at`
})

const audit = (schema: string): Statements => ({
  choose: `SELECT a.number::text AS place FROM ${schema}.audit_log a
WHERE a.at < now() - greatest($1::float8, ${AUDIT_KEPT_MS}) * interval '1 millisecond' ORDER BY a.at LIMIT $2`,
  take: `WITH removed AS (
  DELETE FROM ${schema}.audit_log WHERE number = ANY($1::text[]::bigint[]) RETURNING *
)
SELECT json_build_object('number', r.number, 'at', r.at, 'action', r.action, 'by', r.operator, 'userId', r.subject,
  'reason', r.reason, 'details', r.details, 'address', r.address)::text AS line
FROM removed r ORDER BY r.number`
})

const payments = (schema: string): Statements => ({
  choose: `SELECT e.event_id AS place FROM ${schema}.payment_events e
WHERE e.payload IS NOT NULL AND e.owner IS NOT NULL AND e.state IN ('applied', 'ignored')
  AND e.received_at < now() - $1::float8 * interval '1 millisecond' AND ${isWritable(schema, "e.owner")}
ORDER BY e.received_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
  take: `WITH found AS MATERIALIZED (
  SELECT e.received_at, json_build_object('eventId', e.event_id, 'kind', e.kind, 'createdAt', e.created_at,
    'receivedAt', e.received_at, 'userId', e.owner, 'state', e.state, 'note', e.note, 'payload', e.payload)::text AS line
  FROM ${schema}.payment_events e WHERE e.event_id = ANY($1::text[])
), emptied AS (
  UPDATE ${schema}.payment_events SET payload = NULL WHERE event_id = ANY($1::text[])
)
SELECT line FROM found ORDER BY received_at`
})

const statementsOf = (schema: string): Readonly<Record<ArchivedKind, Statements>> => ({
  chats: chats(schema, "people"),
  conversations: chats(schema, "visitors"),
  audit: audit(schema),
  payments: payments(schema)
})

/**
 * Passes the oldest rows of a kind to `keep`, removes them from the database, and returns their number. Each row is one
 * line of JSON; the images of a chat come before the chat. A batch is one transaction, which is committed after `keep`
 * has succeeded. If the process dies or the connection is lost before the commit, the rows stay, and the next call
 * passes them to `keep` again: no row is lost, but a row may be passed twice. Rows that another transaction has locked
 * are left for the next call.
 */
export const archiveRows = <E, R>(
  kind: ArchivedKind,
  /**
   * The least age of a row in milliseconds, by the database's clock. Entries of the audit log stay for at least 30
   * days.
   */
  olderThanMs: number,
  keep: (lines: ReadonlyArray<string>) => Effect.Effect<void, E, R>
): Effect.Effect<number, DatabaseError | E, Database | R> =>
  forPurpose("documents")(
    Effect.gen(function* () {
      const { asService, schema } = yield* Database
      const { choose, images, take } = statementsOf(schema)[kind]
      const keepImages = Effect.fnUntraced(function* (sql: Sql, places: ReadonlyArray<string>) {
        if (images === undefined) return
        for (const { place } of yield* sql.query<{ place: string }>(images.places, [places])) {
          yield* keep((yield* sql.query<{ line: string }>(images.read, [place])).map(({ line }) => line))
        }
      })
      const batch = asService((sql) =>
        Effect.gen(function* () {
          const chosen = yield* sql.query<{ place: string }>(choose, [olderThanMs, PER_BATCH])
          if (chosen.length === 0) return undefined
          const places = chosen.map(({ place }) => place)
          yield* keepImages(sql, places)
          const taken = yield* sql.query<{ line: string }>(take, [places])
          // The list is empty if a concurrent call has removed all chosen rows.
          if (taken.length > 0) yield* keep(taken.map(({ line }) => line))
          return taken.length
        })
      )
      for (let total = 0; ;) {
        const archived = yield* batch
        if (archived === undefined) return total
        total += archived
      }
    })
  )
