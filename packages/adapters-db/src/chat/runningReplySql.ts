import { OWNED } from "./chatSql.ts"

/** One reply: the owner's key, its chat, its id. */
const REPLY = `${OWNED} AND chat_id = $4::uuid AND reply_id = $5::uuid`

const sameReply = (one: string, other: string): string =>
  ["user_id", "bot", "visitor", "chat_id", "reply_id"]
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(" AND ")

/**
 * Statements on the replies that go on without their reader. The first parameters are the owner's key, the chat and, but
 * for `find` and `askToStop`, the reply's id.
 */
export const runningReplySql = (schema: string) => ({
  /**
   * Text is added only where it begins at the end of what is stored: what was stored before is passed over, and a gap is
   * not left. No row: there is no such chat. Parameters: model, start, length and text of what is new, milliseconds to live.
   */
  write: `WITH head AS (
      INSERT INTO ${schema}.running_replies AS r (user_id, bot, visitor, chat_id, reply_id, model, length, expires_at)
      SELECT c.user_id, c.bot, c.visitor, c.id, $5::uuid, $6::text,
        CASE WHEN $7::integer = 0 THEN $8::integer ELSE 0 END, clock_timestamp() + $10::integer * interval '1 millisecond'
      FROM ${schema}.chats c WHERE ${OWNED} AND id = $4::uuid
      ON CONFLICT (user_id, bot, visitor, chat_id, reply_id) DO UPDATE
      SET model = excluded.model, expires_at = excluded.expires_at,
        length = CASE WHEN r.length = $7::integer THEN r.length + $8::integer ELSE r.length END
      RETURNING length, stop_asked
    ), piece AS (
      INSERT INTO ${schema}.running_reply_texts (user_id, bot, visitor, chat_id, reply_id, start_offset, text)
      SELECT $1::text, $2::text, $3::text, $4::uuid, $5::uuid, $7::integer, $9::text FROM head
      WHERE $9::text <> '' AND head.length = $7::integer + $8::integer
      ON CONFLICT DO NOTHING
    )
    SELECT length, stop_asked FROM head`,

  /**
   * What there is from the piece on that an offset is in; once the reply is no longer here, its message. Parameter: the
   * offset.
   */
  read: `SELECT r.model AS running_model, r.expires_at > clock_timestamp() AS alive, p.start, p.text, m.state, m.model,
      CASE WHEN r.reply_id IS NULL THEN m.content END AS content
    FROM ${schema}.chats c
    LEFT JOIN ${schema}.running_replies r ON r.user_id = c.user_id AND r.bot = c.bot AND r.visitor = c.visitor
      AND r.chat_id = c.id AND r.reply_id = $5::uuid
    LEFT JOIN ${schema}.messages m ON m.user_id = c.user_id AND m.bot = c.bot AND m.visitor = c.visitor
      AND m.chat_id = c.id AND m.id = $5::uuid
    LEFT JOIN LATERAL (
      SELECT min(t.start_offset) AS start, string_agg(t.text, '' ORDER BY t.start_offset) AS text
      FROM ${schema}.running_reply_texts t WHERE ${sameReply("t", "r")} AND t.start_offset >= (
        SELECT coalesce(max(f.start_offset), 0) FROM ${schema}.running_reply_texts f
        WHERE ${sameReply("f", "r")} AND f.start_offset <= $6::integer)
    ) p ON true
    WHERE c.user_id = $1 AND c.bot = $2 AND c.visitor = $3 AND c.id = $4::uuid`,

  /** Parameter: the reply's id, or null for any. */
  find: `SELECT reply_id, model, started_at FROM ${schema}.running_replies
    WHERE ${OWNED} AND chat_id = $4::uuid AND expires_at > clock_timestamp() AND ($5::uuid IS NULL OR reply_id = $5::uuid)
    ORDER BY started_at DESC LIMIT 1`,

  askToStop: `UPDATE ${schema}.running_replies SET stop_asked = true
    WHERE ${OWNED} AND chat_id = $4::uuid AND expires_at > clock_timestamp() RETURNING reply_id`,

  /**
   * As the end of any turn, and forgets the rest. One that was taken for dead has ended as failed, and ends again; what is
   * stored of it is counted anew. Parameters: content, state.
   */
  end: `WITH chat AS (
      SELECT id FROM ${schema}.chats WHERE ${OWNED} AND id = $4::uuid FOR UPDATE
    ), before AS (
      SELECT m.position, octet_length(m.content) AS bytes FROM ${schema}.messages m, chat
      WHERE m.user_id = $1 AND m.bot = $2 AND m.visitor = $3 AND m.chat_id = chat.id AND m.id = $5::uuid
        AND m.state IN ('streaming', 'failed')
      FOR UPDATE OF m
    ), ended AS (
      UPDATE ${schema}.messages m SET content = $6, state = $7 FROM before
      WHERE m.user_id = $1 AND m.bot = $2 AND m.visitor = $3 AND m.chat_id = $4::uuid AND m.position = before.position
      RETURNING octet_length(m.content) - before.bytes AS bytes
    ), forgotten AS (
      DELETE FROM ${schema}.running_replies WHERE ${REPLY}
    )
    UPDATE ${schema}.chats c SET bytes = c.bytes + ended.bytes FROM ended
    WHERE c.user_id = $1 AND c.bot = $2 AND c.visitor = $3 AND c.id = $4::uuid`,

  forget: `DELETE FROM ${schema}.running_replies WHERE ${REPLY}`,

  /** Of everybody. Parameter: how many. */
  findDead: `SELECT user_id, bot, visitor, chat_id, reply_id FROM ${schema}.running_replies
    WHERE expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1`,

  /** What was written of a dead reply becomes its message. Gives a row where it is dead still. */
  endDead: `WITH chat AS (
      SELECT id FROM ${schema}.chats WHERE ${OWNED} AND id = $4::uuid FOR UPDATE
    ), dead AS (
      DELETE FROM ${schema}.running_replies r USING chat
      WHERE r.user_id = $1 AND r.bot = $2 AND r.visitor = $3 AND r.chat_id = chat.id AND r.reply_id = $5::uuid
        AND r.expires_at <= clock_timestamp()
      RETURNING r.reply_id
    ), whole AS (
      SELECT coalesce(string_agg(text, '' ORDER BY start_offset), '') AS content
      FROM ${schema}.running_reply_texts WHERE ${REPLY}
    ), ended AS (
      UPDATE ${schema}.messages m SET content = whole.content, state = 'failed' FROM dead, whole
      WHERE m.user_id = $1 AND m.bot = $2 AND m.visitor = $3 AND m.chat_id = $4::uuid AND m.id = dead.reply_id
        AND m.state = 'streaming'
      RETURNING octet_length(m.content) AS bytes
    ), counted AS (
      UPDATE ${schema}.chats c SET bytes = c.bytes + ended.bytes FROM ended
      WHERE c.user_id = $1 AND c.bot = $2 AND c.visitor = $3 AND c.id = $4::uuid
    )
    SELECT reply_id FROM dead`
})
