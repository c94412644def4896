import { handoverOfChat } from "./handoverSql.ts"

/**
 * The most bytes of messages that a search reads: for one page, and in one conversation. A conversation is read either
 * whole or not at all.
 */
const SEARCHED_BYTES = 8 * 1024 * 1024
const SEARCHED_CHAT_BYTES = 4 * 1024 * 1024
/** The most conversations that a search reads for one page, even if all of them are short. */
const SEARCHED_CHATS = 5_000

const columns = (schema: string) => `c.id, c.bot, c.visitor, c.title, c.created_at, c.updated_at,
  (extract(epoch FROM c.updated_at) * 1000000)::bigint AS used_at_micros, c.last_position AS message_count,
  ARRAY(
    SELECT m.id FROM ${schema}.messages m
    WHERE m.user_id = c.user_id AND m.bot = c.bot AND m.visitor = c.visitor AND m.chat_id = c.id AND m.model IS NOT NULL
    ORDER BY m.position
  ) AS reply_ids, ${handoverOfChat(schema)} AS handover`

/**
 * Selects the conversations that come after the cursor, in the order of the index by time of use. The cursor is in the
 * SQL parameters 3 (time of use in Unix microseconds; null selects all conversations) and 4 (id).
 */
const BEHIND = `($3::bigint IS NULL OR (c.updated_at <= moment.used_at AND (c.updated_at < moment.used_at OR c.id > $4::uuid)))`
const MOMENT = `(SELECT timestamptz 'epoch' + $3::bigint * interval '1 microsecond' AS used_at) AS moment`

/** Selects only conversations whose hand-over is in the state that an SQL parameter names. */
const inState = (schema: string, parameter: string | undefined): string =>
  parameter === undefined
    ? ""
    : ` AND EXISTS (
      SELECT FROM ${schema}.handovers h
      WHERE h.user_id = $1 AND h.bot = $2 AND h.visitor = c.visitor AND h.chat_id = c.id AND h.state = ${parameter})`

/**
 * Reads one row more than the page, so that the caller knows whether there is a next page. SQL parameters: the owner's
 * user id, the bot's id, the cursor's time and id, the limit, and the state of the hand-over if `byState`.
 */
export const conversationsSql = (schema: string, byState: boolean): string => `
SELECT ${columns(schema)} FROM ${schema}.chats c, ${MOMENT}
WHERE c.user_id = $1 AND c.bot = $2 AND c.bot <> '' AND ${BEHIND}${inState(schema, byState ? "$6" : undefined)}
ORDER BY c.updated_at DESC, c.id LIMIT $5::bigint + 1`

/**
 * A page of a search. It reads conversations after the cursor up to a limit of bytes in all, but at least the first
 * one. If the search stopped before it had read all conversations, the last row contains only the cursor at which the
 * search continues. SQL parameters: the owner's user id, the bot's id, the cursor's time and id, the limit of found
 * conversations, the text, and the state of the hand-over if `byState`.
 */
export const searchConversationsSql = (schema: string, byState: boolean): string => `
WITH candidate AS (
  SELECT c.*, sum(c.bytes) OVER (ORDER BY c.updated_at DESC, c.id ROWS UNBOUNDED PRECEDING) AS together,
    row_number() OVER (ORDER BY c.updated_at DESC, c.id) AS place
  FROM (
    SELECT c.* FROM ${schema}.chats c, ${MOMENT}
    WHERE c.user_id = $1 AND c.bot = $2 AND c.bot <> '' AND ${BEHIND}${inState(schema, byState ? "$7" : undefined)}
    ORDER BY c.updated_at DESC, c.id LIMIT ${SEARCHED_CHATS} + 1
  ) c
), looked AS MATERIALIZED (
  SELECT * FROM candidate WHERE place <= ${SEARCHED_CHATS} AND (place = 1 OR together <= ${SEARCHED_BYTES})
), found AS MATERIALIZED (
  SELECT * FROM looked c
  WHERE c.title ~* ('***=' || $6::text) OR (c.bytes <= ${SEARCHED_CHAT_BYTES} AND EXISTS (
    SELECT FROM ${schema}.messages m
    WHERE m.user_id = $1 AND m.bot = $2 AND m.visitor = c.visitor AND m.chat_id = c.id
      AND m.content ~* ('***=' || $6::text)))
  ORDER BY c.updated_at DESC, c.id LIMIT $5::bigint + 1
), page AS (
  SELECT ${columns(schema)} FROM found c
), ended AS (
  SELECT l.id, (extract(epoch FROM l.updated_at) * 1000000)::bigint AS used_at_micros
  FROM looked l WHERE (SELECT count(*) FROM candidate) > (SELECT count(*) FROM looked)
  ORDER BY l.place DESC LIMIT 1
)
SELECT false AS is_end, * FROM page
UNION ALL
SELECT true, id, NULL, NULL, NULL, NULL, NULL, used_at_micros, NULL, NULL, NULL FROM ended
ORDER BY is_end, used_at_micros DESC, id`

/**
 * A page of conversations in the order of their ids. SQL parameters: the owner's user id, the bot's id, the last id of
 * the previous page or null, limit.
 */
export const conversationsByIdSql = (schema: string): string => `
SELECT ${columns(schema)} FROM ${schema}.chats c
WHERE c.user_id = $1 AND c.bot = $2 AND c.bot <> '' AND ($3::uuid IS NULL OR c.id > $3::uuid)
ORDER BY c.id LIMIT $4`

/** One conversation. SQL parameters: the owner's user id, the bot's id, the id of the conversation. */
export const conversationSql = (schema: string): string => `
SELECT ${columns(schema)} FROM ${schema}.chats c
WHERE c.user_id = $1 AND c.bot = $2 AND c.bot <> '' AND c.id = $3::uuid LIMIT 1`
