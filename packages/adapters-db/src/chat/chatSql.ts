/**
 * Stores what is new and an empty reply in one statement. The insertion into `chats`, or its update, locks the chat's
 * row and takes the next positions, so that turns of one chat cannot interleave. Where the reply is there already the
 * chat is left alone, and with it everything else; two at the same moment meet at the unique key of messages.
 * Parameters: user, chat, title, number of messages, reply's id, messages as JSON.
 */
export const beginTurnSql = (schema: string): string => `
WITH chat AS (
  INSERT INTO ${schema}.chats AS c (user_id, id, title, last_position)
  SELECT $1::text, $2::uuid, $3::text, $4::bigint
  WHERE NOT EXISTS (SELECT FROM ${schema}.messages WHERE user_id = $1 AND chat_id = $2::uuid AND id = $5::uuid)
  ON CONFLICT (user_id, id) DO UPDATE
  SET last_position = c.last_position + excluded.last_position, updated_at = clock_timestamp()
  RETURNING last_position
)
INSERT INTO ${schema}.messages (user_id, chat_id, position, id, role, content, state, model, sources)
SELECT $1, $2::uuid, chat.last_position - $4 + message.ordinal,
  coalesce((message.value ->> 'id')::uuid, gen_random_uuid()),
  message.value ->> 'role', message.value ->> 'content', message.value ->> 'state', message.value ->> 'model',
  coalesce(message.value -> 'sources', '[]')
FROM chat, jsonb_array_elements($6::jsonb) WITH ORDINALITY AS message (value, ordinal)`

/** Parameters: user, chat, reply's id, content, state. A reply that has ended stays as it is. */
export const endTurnSql = (schema: string): string => `
UPDATE ${schema}.messages SET content = $4, state = $5
WHERE user_id = $1 AND chat_id = $2 AND id = $3 AND state = 'streaming'`

/** The chat beside each of its newest messages, oldest first; one row without a message where it has none. Parameters: user, chat, limit. */
export const transcriptSql = (schema: string): string => `
SELECT c.id, c.title, c.created_at, c.updated_at, m.id AS message_id, m.role, m.content, m.state, m.model, m.sources,
  m.created_at AS message_created_at
FROM ${schema}.chats c
LEFT JOIN LATERAL (
  SELECT * FROM ${schema}.messages WHERE user_id = c.user_id AND chat_id = c.id ORDER BY position DESC LIMIT $3
) m ON true
WHERE c.user_id = $1 AND c.id = $2
ORDER BY m.position`

/** Parameters: user, limit, offset. */
export const listSql = (schema: string): string => `
SELECT id, title, created_at, updated_at FROM ${schema}.chats WHERE user_id = $1
ORDER BY updated_at DESC, id LIMIT $2 OFFSET $3`

/** Gives a row where there was a chat. Parameters: user, chat. */
export const removeSql = (schema: string): string =>
  `DELETE FROM ${schema}.chats WHERE user_id = $1 AND id = $2 RETURNING id`
