import { AUDIT_KEPT_MS } from "@parley/core/adapter"
import { Effect } from "effect"
import { chooseUnusedSql } from "../chat/chatSql.ts"
import { Database, type DatabaseError } from "../database/Database.ts"
import { forPurpose } from "../database/limits.ts"

/**
 * The kinds of rows that leave the database after their time: people's chats and visitors' conversations without use, each
 * whole; entries of the audit log; and the content of the payment provider's events that are done, whose rows stay, so
 * that an event is applied once however late it comes again.
 */
export const ARCHIVED_KINDS = ["chats", "conversations", "audit", "payments"] as const
export type ArchivedKind = (typeof ARCHIVED_KINDS)[number]

/** The most rows of one batch; of chats, the most messages of all but the first. */
const PER_BATCH = 1_000

/** The statements of a kind, in one transaction. Each row has a place: its `ctid` or its key, as text. */
interface Statements {
  /** Selects the oldest rows of one batch, and locks them if they may change. Parameters: age in milliseconds, rows. */
  readonly choose: string
  /** The rows in `places` as JSON, each as `line`. It follows the lock, so that it reads what the lock protects. */
  readonly read: string
  /** Removes the rows in `places`. */
  readonly remove: string
}

const chats = (schema: string, whose: "people" | "visitors"): Statements => ({
  choose: `${chooseUnusedSql(schema, whose)}
SELECT row_place::text AS place FROM chosen ORDER BY chosen.place`,
  read: `SELECT json_build_object('userId', c.user_id, 'bot', nullif(c.bot, ''), 'visitor', nullif(c.visitor, ''),
  'id', c.id, 'title', c.title, 'createdAt', c.created_at, 'updatedAt', c.updated_at, 'messages', (
    SELECT coalesce(json_agg(json_build_object('id', m.id, 'role', m.role, 'content', m.content, 'state', m.state,
      'model', m.model, 'sources', m.sources, 'createdAt', m.created_at) ORDER BY m.position), '[]')
    FROM ${schema}.messages m
    WHERE m.user_id = c.user_id AND m.bot = c.bot AND m.visitor = c.visitor AND m.chat_id = c.id
  ))::text AS line
FROM ${schema}.chats c WHERE c.ctid = ANY($1::text[]::tid[]) ORDER BY c.updated_at`,
  remove: `DELETE FROM ${schema}.chats WHERE ctid = ANY($1::text[]::tid[])`
})

const audit = (schema: string): Statements => ({
  choose: `SELECT a.number::text AS place FROM ${schema}.audit_log a
WHERE a.at < now() - greatest($1::float8, ${AUDIT_KEPT_MS}) * interval '1 millisecond' ORDER BY a.at LIMIT $2`,
  read: `SELECT json_build_object('number', a.number, 'at', a.at, 'action', a.action, 'by', a.operator,
  'userId', a.subject, 'reason', a.reason, 'details', a.details, 'address', a.address)::text AS line
FROM ${schema}.audit_log a WHERE a.number = ANY($1::text[]::bigint[]) ORDER BY a.number`,
  remove: `DELETE FROM ${schema}.audit_log WHERE number = ANY($1::text[]::bigint[])`
})

const payments = (schema: string): Statements => ({
  choose: `SELECT e.event_id AS place FROM ${schema}.payment_events e
WHERE e.payload IS NOT NULL AND e.owner IS NOT NULL AND e.state IN ('applied', 'ignored')
  AND e.received_at < now() - $1::float8 * interval '1 millisecond'
ORDER BY e.received_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
  read: `SELECT json_build_object('eventId', e.event_id, 'kind', e.kind, 'createdAt', e.created_at,
  'receivedAt', e.received_at, 'userId', e.owner, 'state', e.state, 'note', e.note, 'payload', e.payload)::text AS line
FROM ${schema}.payment_events e WHERE e.event_id = ANY($1::text[]) ORDER BY e.received_at`,
  remove: `UPDATE ${schema}.payment_events SET payload = NULL WHERE event_id = ANY($1::text[])`
})

const statementsOf = (schema: string): Readonly<Record<ArchivedKind, Statements>> => ({
  chats: chats(schema, "people"),
  conversations: chats(schema, "visitors"),
  audit: audit(schema),
  payments: payments(schema)
})

/**
 * Hands the oldest rows of a kind to `keep`, one line of JSON each, and then removes them; returns their number. Rows are
 * removed only after `keep` has ended, in batches that are each one transaction. If the process dies or the connection
 * is lost between the two, the rows stay, and the next call hands
 * them out again: no row is lost, and one may be handed out twice. Rows that another transaction has locked stay for
 * the next call.
 */
export const archiveRows = <E, R>(
  kind: ArchivedKind,
  /** The least age in milliseconds, by the database's clock. Entries of the audit log are kept for 30 days at least. */
  olderThanMs: number,
  keep: (lines: ReadonlyArray<string>) => Effect.Effect<void, E, R>
): Effect.Effect<number, DatabaseError | E, Database | R> =>
  forPurpose("documents")(
    Effect.gen(function* () {
      const { asService, schema } = yield* Database
      const { choose, read, remove } = statementsOf(schema)[kind]
      const batch = asService((sql) =>
        Effect.gen(function* () {
          const chosen = yield* sql.query<{ place: string }>(choose, [olderThanMs, PER_BATCH])
          if (chosen.length === 0) return 0
          const places = chosen.map(({ place }) => place)
          yield* keep((yield* sql.query<{ line: string }>(read, [places])).map(({ line }) => line))
          yield* sql.query(remove, [places])
          return places.length
        })
      )
      for (let total = 0; ;) {
        const archived = yield* batch
        if (archived === 0) return total
        total += archived
      }
    })
  )
