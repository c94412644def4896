import {
  AROUND_WORDS,
  type ConversationOwner,
  isUuid,
  ownerKey,
  type RemoveUnusedInput,
  UNUSED_IMAGE_MS,
  USED_AGAIN_MS
} from "@parley/core/adapter"
import { isWritable } from "../storage/leftRows.ts"

/** The key of a conversation's owner (user id, bot, visitor), in the order of the SQL parameters. */
export const keyOf = (owner: ConversationOwner): ReadonlyArray<string> => {
  const { userId, bot, visitor } = ownerKey(owner)
  return [userId, bot, visitor]
}

/** Returns the id, or the nil UUID, which names no row, if the text does not have the form of a UUID. */
export const uuidOrNil = (id: string): string => (isUuid(id) ? id : "00000000-0000-0000-0000-000000000000")

export const sameReply = (one: string, other: string): string =>
  ["user_id", "bot", "visitor", "chat_id", "reply_id"]
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(" AND ")

/**
 * Selects the rows of one owner. The owner's key (user id, bot, visitor) is the first three SQL parameters of most
 * statements.
 */
export const OWNED = "user_id = $1 AND bot = $2 AND visitor = $3"

/**
 * Stores new messages and a reply. SQL parameters, in this order: the owner's key (user id, bot, visitor), the id of
 * the chat, its title, the number of messages, the reply's id, the messages as JSON, whether the turn continues an
 * existing chat, the bytes that count towards the quota, the ids of the named documents. The last four describe a
 * running reply, and are null if the reply is complete: the payer, the key of the payer's hold, whether other clients
 * may join the reply, and its time to live in milliseconds.
 */
export const beginTurnSql = (schema: string): string =>
  `SELECT ${schema}.begin_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

/**
 * Stores a rating. SQL parameters: the owner's key, the id of the chat, the id of the reply, the rating as JSON or
 * null, the source that the event names.
 */
export const rateSql = (schema: string): string => `SELECT ${schema}.rate_reply($1, $2, $3, $4, $5, $6, $7) AS rated`

/**
 * Counts the bytes of a person's own chats, or of the conversations of all visitors of the person's bots. SQL
 * parameter: the user id.
 */
export const usageSql = (schema: string, whose: "own" | "visitors"): string =>
  `SELECT coalesce(sum(bytes), 0)::bigint${whose === "own" ? IMAGE_BYTES(schema) : ""} AS bytes FROM ${schema}.chats
   WHERE user_id = $1 AND bot ${whose === "own" ? "=" : ">"} ''`

/** The bytes of the person's images, except unused images that the next sweep deletes. */
const IMAGE_BYTES = (schema: string): string =>
  ` + (SELECT coalesce(sum(octet_length(i.bytes)), 0)::bigint FROM ${schema}.chat_images i WHERE i.user_id = $1
    AND (i.chat_id IS NOT NULL OR i.created_at >= now() - ${UNUSED_IMAGE_MS} * interval '1 millisecond'))`

const CHAT_COLUMNS = `c.id, c.bot, c.visitor, c.title, c.created_at, c.updated_at, c.project_id,
  c.updated_at < now() - ${USED_AGAIN_MS} * interval '1 millisecond' AS is_unused,
  CASE WHEN coalesce(m.number, 1) = 1 THEN coalesce(c.document_ids, c.asked_document_ids) END AS document_ids,
  c.share_id, c.share_up_to, c.shared_at`
const MESSAGE_COLUMNS = `m.id AS message_id, m.role, m.content, m.state, m.model, m.author, m.sources, m.unread, m.image_ids, m.rating,
  m.created_at AS message_created_at`

/**
 * Selects the newest messages of the chat `c` that fulfil a condition, up to the limits of number ($5) and bytes ($6).
 */
const newestSql = (schema: string, condition: string): string => `
  SELECT * FROM (
    SELECT *, row_number() OVER newest AS number, lead(id) OVER newest AS previous_id, sum(octet_length(content)
      + CASE WHEN sources = '[]' THEN 0 ELSE pg_column_size(sources) END + coalesce(pg_column_size(unread), 0)) OVER newest AS together
    FROM ${schema}.messages
    WHERE user_id = c.user_id AND bot = c.bot AND visitor = c.visitor AND chat_id = c.id AND ${condition}
    WINDOW newest AS (ORDER BY position DESC ROWS UNBOUNDED PRECEDING)
    ORDER BY position DESC LIMIT $5
  ) newest WHERE number = 1 OR together <= $6
`

/**
 * Selects the newest messages of a branch, oldest first, each beside its chat; one row without a message if the branch
 * has no message. `is_unused` is true if the chat has been unused for so long that a client which continues it has to
 * mark it as used. Only the last row contains the chat's documents. Lengths are computed without reading long values:
 * sources count by their stored size. Positions begin at 1, have no gaps, and grow along a branch. SQL parameters: the
 * owner's key, the id of the chat, the most messages, the most bytes of all contents and sources together, the id of a
 * message or null, and the place of that message in the form that `branch_of` expects.
 */
export const transcriptSql = (schema: string): string => `
SELECT ${CHAT_COLUMNS}, ${MESSAGE_COLUMNS}, m.position > lower(b.positions) AS has_earlier, m.previous_id AS parent_id,
  CASE WHEN coalesce(m.parent_position, m.position - 1) = ANY(b.branched) THEN
    ${schema}.versions_after(c.user_id, c.bot, c.visitor, c.id, coalesce(m.parent_position, m.position - 1)) END AS versions
FROM ${schema}.chats c
CROSS JOIN LATERAL ${schema}.branch_of(c.user_id, c.bot, c.visitor, c.id, c.last_position, $7::uuid, $8) b
LEFT JOIN LATERAL (${newestSql(schema, "position < upper(b.positions) AND position <@ b.positions")}) m ON true
WHERE c.user_id = $1 AND c.bot = $2 AND c.visitor = $3 AND c.id = $4
ORDER BY m.position`

/**
 * Like `transcriptSql`, but selects the messages of all branches, in the order in which they were stored, without their
 * versions. SQL parameters: the owner's key, the id of the chat, the most messages, the most bytes, the id of the
 * message before which the selection ends or null.
 */
export const wholeTranscriptSql = (schema: string): string => `
SELECT ${CHAT_COLUMNS}, ${MESSAGE_COLUMNS}, m.position > 1 AS has_earlier, NULL AS versions,
  CASE WHEN m.parent_position IS NULL THEN m.previous_id ELSE (
    SELECT p.id FROM ${schema}.messages p WHERE ${OWNED} AND p.chat_id = $4 AND p.position = m.parent_position) END AS parent_id
FROM ${schema}.chats c
LEFT JOIN LATERAL (${newestSql(
  schema,
  `position < CASE WHEN $7::uuid IS NULL THEN 9223372036854775807 ELSE
    coalesce((SELECT position FROM ${schema}.messages WHERE ${OWNED} AND chat_id = $4 AND id = $7::uuid), 0) END`
)}) m ON true
WHERE c.user_id = $1 AND c.bot = $2 AND c.visitor = $3 AND c.id = $4
ORDER BY m.position`

/** The columns of a chat without its messages. */
export const CHAT = "id, bot, visitor, title, created_at, updated_at, project_id"

/** Selects the chats of the project whose id is in an SQL parameter, or all chats if that parameter is null. */
const inProject = (parameter: string) => `(${parameter}::uuid IS NULL OR project_id = ${parameter}::uuid)`

/**
 * A page of chats, the last used ones first. SQL parameters: user id, bot or an empty text, project id or null, limit,
 * offset.
 */
export const listSql = (schema: string): string => `
SELECT ${CHAT} FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND ${inProject("$3")}
ORDER BY updated_at DESC, id LIMIT $4 OFFSET $5`

/**
 * A page of a person's own chats in the order of their ids. SQL parameters: user id, the last id of the previous page
 * or null, limit.
 */
export const listByIdSql = (schema: string): string => `
SELECT ${CHAT} FROM ${schema}.chats
WHERE user_id = $1 AND bot = '' AND visitor = '' AND ($2::uuid IS NULL OR id > $2::uuid)
ORDER BY id LIMIT $3`

/**
 * The most bytes of messages that a search reads: in all chats together, and in one chat. The search reads the most
 * recently used chats, each either whole or not at all.
 */
const SEARCHED_BYTES = 8 * 1024 * 1024
const SEARCHED_CHAT_BYTES = 4 * 1024 * 1024

/**
 * A page of the chats that have a text in their title or, if they are among the last used ones, in a message. Each row
 * has the number of all found chats, and a chat with its newest message that has the text and the characters around the
 * text; the message's columns are null if no message has it. An empty page is one row with the number alone. SQL
 * parameters: user id, bot or an empty text, project id or null, limit, offset, text.
 */
export const searchSql = (schema: string): string => `
WITH candidate AS (
  SELECT user_id, ${CHAT}, bytes,
    sum(bytes) FILTER (WHERE bytes <= ${SEARCHED_CHAT_BYTES})
      OVER (ORDER BY updated_at DESC, id ROWS UNBOUNDED PRECEDING) AS together
  FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND ${inProject("$3")}
), found AS MATERIALIZED (
  SELECT ${CHAT},
    c.bytes <= ${SEARCHED_CHAT_BYTES} AND c.together <= ${SEARCHED_BYTES} AS is_searched FROM candidate c
  WHERE c.title ~* ('***=' || $6::text)
    OR (c.bytes <= ${SEARCHED_CHAT_BYTES} AND c.together <= ${SEARCHED_BYTES} AND EXISTS (
      SELECT FROM ${schema}.messages m
      WHERE m.user_id = $1 AND m.bot = $2 AND m.visitor = c.visitor AND m.chat_id = c.id
        AND m.content ~* ('***=' || $6::text)))
)
SELECT counted.total, page.*, hit.* FROM (SELECT count(*) AS total FROM found) counted
LEFT JOIN LATERAL (SELECT * FROM found ORDER BY updated_at DESC, id LIMIT $4 OFFSET $5) page ON true
LEFT JOIN LATERAL (
  SELECT m.id AS message_id, substring(m.content, greatest(place.first - ${AROUND_WORDS}, 1), least(place.first - 1, ${AROUND_WORDS})) AS before,
    substring(m.content, place.first, place.behind - place.first) AS words, substring(m.content, place.behind, ${AROUND_WORDS}) AS behind
  FROM (
    SELECT id, content FROM ${schema}.messages
    WHERE page.is_searched AND user_id = $1 AND bot = $2 AND visitor = page.visitor AND chat_id = page.id
      AND content ~* ('***=' || $6::text)
    ORDER BY position DESC LIMIT 1
  ) m, LATERAL (
    SELECT regexp_instr(m.content, '***=' || $6::text, 1, 1, 0, 'i') AS first,
      regexp_instr(m.content, '***=' || $6::text, 1, 1, 1, 'i') AS behind
  ) place
) hit ON true
ORDER BY page.updated_at DESC, page.id`

/** Selects one of a person's own chats. SQL parameters: user id, id of the chat. */
const OWN = "user_id = $1 AND bot = '' AND visitor = '' AND id = $2"

/**
 * Changes the title of a chat, and returns the chat if it did. SQL parameters: user id, id of the chat, new title, the
 * old title that alone may be replaced or null for any.
 */
export const renameSql = (schema: string): string =>
  `UPDATE ${schema}.chats SET title = $3 WHERE ${OWN} AND ($4::text IS NULL OR title = $4)
   RETURNING ${CHAT}`

/**
 * Stores the ids of a chat's documents, and returns a row if the chat exists. SQL parameters: user id, id of the chat,
 * ids of the documents.
 */
export const keepDocumentsSql = (schema: string): string =>
  `UPDATE ${schema}.chats SET document_ids = $3::uuid[] WHERE ${OWN} RETURNING id`

/** Counts chats. SQL parameters: user id, bot or an empty text, project id or null. */
export const countSql = (schema: string): string =>
  `SELECT count(*) AS total FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND ${inProject("$3")}`

/** Deletes a chat, and returns a row if it existed. SQL parameters: user id, bot, visitor, id of the chat. */
export const removeSql = (schema: string): string =>
  `DELETE FROM ${schema}.chats WHERE ${OWNED} AND id = $4 RETURNING id`

/** Deletes the conversations of a bot's visitors. SQL parameters: user id, bot. */
export const removeOfBotSql = (schema: string): string =>
  `DELETE FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND bot <> ''`

/** Marks a chat as used now, and returns a row if the chat exists. SQL parameters: the owner's key, id of the chat. */
export const useAgainSql = (schema: string): string =>
  `UPDATE ${schema}.chats SET updated_at = clock_timestamp() WHERE ${OWNED} AND id = $4 RETURNING id`

/** The most chats that one statement deletes. */
const UNUSED_CHATS = 100

/**
 * Selects and locks the chats that have been unused for longest, as `chosen`. Left out are chats with a running record,
 * chats that another transaction has locked, and chats that were used after the statement began, which is seen when
 * their row is locked. `row_place` is the `ctid` of the locked row. A conversation with files is chosen without any
 * other. SQL parameters: the least time without use in milliseconds, and the most messages of the chosen chats
 * together; the first chat is chosen even if it has more messages.
 */
export const chooseUnusedSql = (schema: string, whose: RemoveUnusedInput["whose"]): string => `
WITH unused AS MATERIALIZED (
  SELECT c.*, c.ctid AS row_place FROM ${schema}.chats c
  WHERE c.bot ${whose === "people" ? "=" : "<>"} '' AND c.updated_at < now() - $1::float8 * interval '1 millisecond'
    AND ${isWritable(schema, "c.user_id")} AND NOT EXISTS (
      SELECT FROM ${schema}.running_replies r
      WHERE r.user_id = c.user_id AND r.bot = c.bot AND r.visitor = c.visitor AND r.chat_id = c.id)
  ORDER BY c.updated_at LIMIT ${UNUSED_CHATS} FOR UPDATE OF c SKIP LOCKED
), counted AS (
  SELECT *, row_number() OVER oldest AS place,
    sum(last_position + CASE WHEN bot <> '' AND document_ids <> '{}' THEN $2::bigint ELSE 0 END) OVER oldest AS messages
  FROM unused
  WINDOW oldest AS (ORDER BY updated_at, user_id, bot, visitor, id ROWS UNBOUNDED PRECEDING)
), chosen AS (
  SELECT * FROM counted WHERE place = 1 OR messages <= $2
)`

/** Deletes the chats that `chooseUnusedSql` selects with their messages, and returns the number of chats. */
export const removeUnusedSql = (schema: string, whose: RemoveUnusedInput["whose"]): string => `
${chooseUnusedSql(schema, whose)}, removed AS (
  DELETE FROM ${schema}.chats c USING chosen u
  WHERE c.user_id = u.user_id AND c.bot = u.bot AND c.visitor = u.visitor AND c.id = u.id
  RETURNING 1
)
SELECT count(*) AS removed FROM removed`
