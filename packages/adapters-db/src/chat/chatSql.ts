import {
  AROUND_WORDS,
  type ConversationOwner,
  isUuid,
  ownerKey,
  type RemoveUnusedInput,
  UNUSED_IMAGE_MS,
  USED_AGAIN_MS
} from "@parley/core/adapter"

/** The owner's key as the texts take it. */
export const keyOf = (owner: ConversationOwner): ReadonlyArray<string> => {
  const { userId, bot, visitor } = ownerKey(owner)
  return [userId, bot, visitor]
}

/** A text that is no id names no row, as the nil id. */
export const uuidOrNil = (id: string): string => (isUuid(id) ? id : "00000000-0000-0000-0000-000000000000")

export const sameReply = (one: string, other: string): string =>
  ["user_id", "bot", "visitor", "chat_id", "reply_id"]
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(" AND ")

/** The owner's key: the first three parameters of most texts. */
export const OWNED = "user_id = $1 AND bot = $2 AND visitor = $3"

/**
 * Stores new messages and a reply. Parameters: the owner's key, chat, title, number of messages, reply's id, messages
 * as JSON, whether the turn continues the chat, bytes that count towards the quota, named documents; the payer and the
 * key of its hold, whether others may join the reply, and its time to live in milliseconds, or nulls if the reply is
 * complete.
 */
export const beginTurnSql = (schema: string): string =>
  `SELECT ${schema}.begin_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

/** Stores a rating. Parameters: the owner's key, chat, reply, the rating as JSON or null, the source for the event. */
export const rateSql = (schema: string): string => `SELECT ${schema}.rate_reply($1, $2, $3, $4, $5, $6, $7) AS rated`

/** The bytes of a person's own chats, or of the conversations of all visitors of their bots. Parameters: user. */
export const usageSql = (schema: string, whose: "own" | "visitors"): string =>
  `SELECT coalesce(sum(bytes), 0)::bigint${whose === "own" ? IMAGE_BYTES(schema) : ""} AS bytes FROM ${schema}.chats
   WHERE user_id = $1 AND bot ${whose === "own" ? "=" : ">"} ''`

/** The bytes of the person's images, except those that the next sweep deletes. */
const IMAGE_BYTES = (schema: string): string =>
  ` + (SELECT coalesce(sum(octet_length(i.bytes)), 0)::bigint FROM ${schema}.chat_images i WHERE i.user_id = $1
    AND (i.chat_id IS NOT NULL OR i.created_at >= now() - ${UNUSED_IMAGE_MS} * interval '1 millisecond'))`

const CHAT_COLUMNS = `c.id, c.bot, c.visitor, c.title, c.created_at, c.updated_at, c.project_id,
  c.updated_at < now() - ${USED_AGAIN_MS} * interval '1 millisecond' AS is_unused,
  CASE WHEN coalesce(m.number, 1) = 1 THEN coalesce(c.document_ids, c.asked_document_ids) END AS document_ids,
  c.share_id, c.share_up_to, c.shared_at`
const MESSAGE_COLUMNS = `m.id AS message_id, m.role, m.content, m.state, m.model, m.author, m.sources, m.unread, m.image_ids, m.rating,
  m.created_at AS message_created_at`

/** The newest messages of the chat `c` that fulfil a condition, within the limits of number and bytes. */
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
 * The chat beside each of the newest messages of a branch, oldest first; one row without a message if it has none.
 * `is_unused` is true if a reader who continues the chat has to say that it is used again. Only the last row contains the
 * chat's documents. Lengths are computed without reading long values: sources count by their stored size. Positions begin
 * at 1, have no gaps, and grow along a branch. Parameters: the owner's key, chat, limit, bytes of all contents and sources
 * together, a message or null, and its place as `branch_of` takes it.
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
 * As `transcriptSql`, the messages of all branches, in the order in which they were stored, without their versions.
 * Parameters: the owner's key, chat, limit, bytes, the message before which they end or null.
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

/** In the project of this parameter, or in any if it is null. */
const inProject = (parameter: string) => `(${parameter}::uuid IS NULL OR project_id = ${parameter}::uuid)`

/** Parameters: user, bot or an empty text, project or null, limit, offset. */
export const listSql = (schema: string): string => `
SELECT ${CHAT} FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND ${inProject("$3")}
ORDER BY updated_at DESC, id LIMIT $4 OFFSET $5`

/** A person's own chats. Parameters: user, the id behind which they begin or null, limit. */
export const listByIdSql = (schema: string): string => `
SELECT ${CHAT} FROM ${schema}.chats
WHERE user_id = $1 AND bot = '' AND visitor = '' AND ($2::uuid IS NULL OR id > $2::uuid)
ORDER BY id LIMIT $3`

/**
 * Bounds of a search through messages, in bytes: for all chats together, and for one chat. The search reads the newest
 * chats whole.
 */
const SEARCHED_BYTES = 8 * 1024 * 1024
const SEARCHED_CHAT_BYTES = 4 * 1024 * 1024

/**
 * A page of the chats with a text in their title or, for the last used ones, in their messages, and the count of all;
 * the count alone if the page is empty. Each with its newest message that has the text, and the characters around it; the
 * columns are null if none has it. Parameters: user, bot or an empty text, project or null, limit, offset, text.
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

/** One of a person's own chats. */
const OWN = "user_id = $1 AND bot = '' AND visitor = '' AND id = $2"

/** Returns the chat if its title was changed. Parameters: user, chat, title, the only title to change or null for any. */
export const renameSql = (schema: string): string =>
  `UPDATE ${schema}.chats SET title = $3 WHERE ${OWN} AND ($4::text IS NULL OR title = $4)
   RETURNING ${CHAT}`

/** Returns a row if the chat exists. Parameters: user, chat, documents. */
export const keepDocumentsSql = (schema: string): string =>
  `UPDATE ${schema}.chats SET document_ids = $3::uuid[] WHERE ${OWN} RETURNING id`

/** Parameters: user, bot or an empty text, project or null. */
export const countSql = (schema: string): string =>
  `SELECT count(*) AS total FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND ${inProject("$3")}`

/** Returns a row if the chat existed. Parameters: user, bot, visitor, chat. */
export const removeSql = (schema: string): string =>
  `DELETE FROM ${schema}.chats WHERE ${OWNED} AND id = $4 RETURNING id`

/** The conversations of a bot's visitors. Parameters: user, bot. */
export const removeOfBotSql = (schema: string): string =>
  `DELETE FROM ${schema}.chats WHERE user_id = $1 AND bot = $2 AND bot <> ''`

/** The chat counts as used now. Returns a row if it exists. Parameters: the owner's key, chat. */
export const useAgainSql = (schema: string): string =>
  `UPDATE ${schema}.chats SET updated_at = clock_timestamp() WHERE ${OWNED} AND id = $4 RETURNING id`

/** The most chats that one statement deletes. */
const UNUSED_CHATS = 100

/**
 * Selects and locks the chats without use for longest, as `chosen`. A chat with a running record is left out, and so is one
 * whose row another transaction has locked; a chat that was used since the statement began is found to be so when its
 * row is locked. `row_place` is the `ctid` of the locked row. A conversation with files is the only one that is chosen.
 * Parameters: the time without use in milliseconds, the most messages of all but the first chat.
 */
export const chooseUnusedSql = (schema: string, whose: RemoveUnusedInput["whose"]): string => `
WITH unused AS MATERIALIZED (
  SELECT c.*, c.ctid AS row_place FROM ${schema}.chats c
  WHERE c.bot ${whose === "people" ? "=" : "<>"} '' AND c.updated_at < now() - $1::float8 * interval '1 millisecond'
    AND NOT EXISTS (
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

/** Deletes the chats of `chooseUnusedSql` with their messages, and returns their number. */
export const removeUnusedSql = (schema: string, whose: RemoveUnusedInput["whose"]): string => `
${chooseUnusedSql(schema, whose)}, removed AS (
  DELETE FROM ${schema}.chats c USING chosen u
  WHERE c.user_id = u.user_id AND c.bot = u.bot AND c.visitor = u.visitor AND c.id = u.id
  RETURNING 1
)
SELECT count(*) AS removed FROM removed`
