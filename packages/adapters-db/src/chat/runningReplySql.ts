import { OWNED } from "./chatSql.ts"

const sameReply = (one: string, other: string): string =>
  ["user_id", "bot", "visitor", "chat_id", "reply_id"]
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(" AND ")

/**
 * Statements on the running records of replies. The first parameters are the owner's key, the chat and, for `read`, the
 * reply's id.
 */
export const runningReplySql = (schema: string) => ({
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
    WHERE ${OWNED} AND chat_id = $4::uuid AND joinable AND expires_at > clock_timestamp() AND ($5::uuid IS NULL OR reply_id = $5::uuid)
    ORDER BY started_at DESC LIMIT 1`,

  askToStop: `UPDATE ${schema}.running_replies SET stop_asked = true
    WHERE ${OWNED} AND chat_id = $4::uuid AND joinable AND expires_at > clock_timestamp() RETURNING reply_id`
})
