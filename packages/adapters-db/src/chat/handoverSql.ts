import { SEEN_EVERY_MS } from "@parley/core/adapter"
import { OWNED } from "./chatSql.ts"

/** The columns of a hand-over `h`. */
const COLUMNS = "h.state, h.email, h.page, h.language, h.assignee, h.asked_at, h.seen_at, h.mails"

/** Returns the hand-over of the chat `c` as JSON; null if the chat has none. */
export const handoverOfChat = (schema: string): string => `(
    SELECT json_build_object('state', h.state, 'email', h.email, 'page', h.page, 'language', h.language, 'assignee', h.assignee,
      'asked_at', (extract(epoch FROM h.asked_at) * 1000)::bigint, 'seen_at', (extract(epoch FROM h.seen_at) * 1000)::bigint)
    FROM ${schema}.handovers h
    WHERE h.user_id = c.user_id AND h.bot = c.bot AND h.visitor = c.visitor AND h.chat_id = c.id
  )`

const NAMED = `${OWNED} AND chat_id = $4::uuid`

/**
 * The SQL statements on one conversation. Their first four parameters are the owner's key (user id, bot, visitor) and
 * the id of the chat.
 */
export const handoverTexts = (schema: string) => ({
  /** Locks the conversation, as the beginning of a turn does too. */
  lock: `SELECT title FROM ${schema}.chats WHERE ${OWNED} AND id = $4::uuid FOR UPDATE`,
  /** Begins a conversation without messages. */
  begin: `INSERT INTO ${schema}.chats (user_id, bot, visitor, id, title, last_position) VALUES ($1, $2, $3, $4::uuid, '', 0)`,
  find: `SELECT ${COLUMNS} FROM ${schema}.handovers h WHERE ${NAMED}`,
  state: `SELECT h.state FROM ${schema}.handovers h WHERE ${NAMED}`,
  /**
   * Stores that a visitor asks for a person. Further SQL parameters: state, e-mail address or null, page or null,
   * language.
   */
  ask: `INSERT INTO ${schema}.handovers AS h (user_id, bot, visitor, chat_id, state, email, page, language)
    VALUES ($1, $2, $3, $4::uuid, $5, $6, $7, $8)
    ON CONFLICT (user_id, bot, visitor, chat_id) DO UPDATE
    SET asked_at = CASE WHEN h.state = 'solved' THEN clock_timestamp() ELSE h.asked_at END, state = excluded.state,
      email = coalesce(excluded.email, h.email), page = coalesce(excluded.page, h.page), language = excluded.language,
      seen_at = clock_timestamp()
    RETURNING ${COLUMNS}`,
  /** Changes the state. Further SQL parameters: the new state, the assignee. */
  move: `INSERT INTO ${schema}.handovers AS h (user_id, bot, visitor, chat_id, state, language, assignee)
    VALUES ($1, $2, $3, $4::uuid, $5, 'en', $6)
    ON CONFLICT (user_id, bot, visitor, chat_id) DO UPDATE SET state = excluded.state, assignee = excluded.assignee
    RETURNING ${COLUMNS}`,
  /**
   * Returns the position of the next message. Further SQL parameters: the bytes of the message, the title if the chat
   * has none.
   */
  grow: `UPDATE ${schema}.chats SET last_position = last_position + 1, bytes = bytes + $5, updated_at = clock_timestamp(),
      title = CASE title WHEN '' THEN $6 ELSE title END
    WHERE ${OWNED} AND id = $4::uuid RETURNING last_position`,
  /** Adds a message. Further SQL parameters: position, id, role, content, author or null. */
  add: `INSERT INTO ${schema}.messages (user_id, bot, visitor, chat_id, position, id, role, content, state, author)
    VALUES ($1, $2, $3, $4::uuid, $5, $6::uuid, $7, $8, 'complete', $9)
    RETURNING created_at, (SELECT m.id FROM ${schema}.messages m WHERE ${NAMED} AND m.position = $5::bigint - 1) AS parent_id`,
  saw: `UPDATE ${schema}.handovers SET seen_at = clock_timestamp() WHERE ${NAMED}`,
  /**
   * Counts a mail to a visitor who has been away, and returns a row if the mail may be sent. Further SQL parameters:
   * the least time of absence in milliseconds, the most mails of a conversation.
   */
  countMail: `UPDATE ${schema}.handovers SET mails = mails + 1
    WHERE ${NAMED} AND email IS NOT NULL AND mails < $6
      AND seen_at < clock_timestamp() - $5::float8 * interval '1 millisecond'
    RETURNING mails`,
  look: `WITH seen AS (
      UPDATE ${schema}.handovers SET seen_at = clock_timestamp()
      WHERE ${NAMED} AND seen_at < clock_timestamp() - ${SEEN_EVERY_MS} * interval '1 millisecond'
    )
    SELECT ${COLUMNS}, (
      SELECT m.id FROM ${schema}.messages m
      WHERE m.user_id = h.user_id AND m.bot = h.bot AND m.visitor = h.visitor AND m.chat_id = h.chat_id
      ORDER BY m.position DESC LIMIT 1
    ) AS newest_id
    FROM ${schema}.handovers h WHERE ${NAMED}`,
  /** Returns the visitor of a conversation. SQL parameters: the owner's user id, the bot's id, the id of the chat. */
  visitor: `SELECT visitor FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND bot <> '' AND id = $3::uuid LIMIT 1`,
  /** Counts a bot's hand-overs by state. SQL parameters: the owner's user id, the bot's id. */
  counts: `SELECT state, count(*) AS conversations FROM ${schema}.handovers WHERE user_id = $1 AND bot = $2 GROUP BY state`
})
