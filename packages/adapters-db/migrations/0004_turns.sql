-- Functions that store the beginning and the end of a turn of a chat; the end is a part of write_credits. They are
-- functions so that each connection plans their statements once, and so that a turn takes one message to the server
-- without separate messages for BEGIN and COMMIT. For that reason they also set the role that writes the conversation,
-- and their own time limits. A person's chat is written as that person, under row-level security; a visitor's
-- conversation is written by the service. The functions restore the role at their end, even within a longer
-- transaction.
--
-- Each function locks the chat's row first, as deletions do. "of_bot" and "of_visitor" are empty for a person's own
-- chat.

-- Stores the new messages and an empty reply, and the running record of the reply if a payer is given. The insertion
-- into "chats", or its update, locks the chat's row and takes the next positions, so that turns of one chat cannot
-- interleave. If the reply exists already, the function changes nothing. If two calls begin the same reply at once, the
-- second fails (40001) and finds the reply when it is retried. A turn that continues a chat locks its row first, so
-- that it writes nothing after a deletion and does not undo one.
CREATE FUNCTION {{schema}}.begin_turn(
  of_user text, of_bot text, of_visitor text, of_chat uuid, new_title text, messages_given integer, reply uuid,
  given jsonb, continues boolean, more_bytes bigint, documents uuid[], payer text, hold_key text, joinable boolean,
  ttl_ms float8
) RETURNS void LANGUAGE plpgsql
SET role = none SET search_path = pg_catalog, pg_temp SET lock_timeout = 3000
SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE
  user_before text := current_setting('parley.user_id', true);
  moment timestamptz := clock_timestamp();
  goes_on boolean := true;
  newest bigint;
BEGIN
  PERFORM set_config('role', CASE of_bot WHEN '' THEN 'parley_user' ELSE 'parley_service' END, true),
    set_config('parley.user_id', CASE of_bot WHEN '' THEN of_user ELSE '' END, true);
  IF continues THEN
    PERFORM FROM {{schema}}.chats c
    WHERE c.user_id = of_user AND c.bot = of_bot AND c.visitor = of_visitor AND c.id = of_chat FOR UPDATE;
    goes_on := FOUND;
  END IF;
  IF goes_on THEN
    INSERT INTO {{schema}}.chats AS c (user_id, bot, visitor, id, title, last_position, bytes, asked_document_ids)
    SELECT of_user, of_bot, of_visitor, of_chat, new_title, messages_given, more_bytes, documents
    WHERE NOT EXISTS (
      SELECT FROM {{schema}}.messages m
      WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply
    )
    ON CONFLICT (user_id, bot, visitor, id) DO UPDATE
    SET last_position = c.last_position + excluded.last_position, bytes = c.bytes + excluded.bytes,
      asked_document_ids = excluded.asked_document_ids, updated_at = moment
    RETURNING c.last_position INTO newest;
    IF FOUND THEN
      INSERT INTO {{schema}}.messages (user_id, bot, visitor, chat_id, position, id, role, content, state, model, sources)
      SELECT of_user, of_bot, of_visitor, of_chat, newest - messages_given + message.ordinal,
        coalesce((message.value ->> 'id')::uuid, gen_random_uuid()),
        message.value ->> 'role', message.value ->> 'content', message.value ->> 'state', message.value ->> 'model',
        coalesce(message.value -> 'sources', '[]')
      FROM jsonb_array_elements(given) WITH ORDINALITY AS message (value, ordinal)
      WHERE NOT EXISTS (
        SELECT FROM {{schema}}.messages m
        WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply
      );
      IF NOT FOUND THEN
        RAISE EXCEPTION 'The turn was begun at the same moment.' USING ERRCODE = 'serialization_failure';
      END IF;
      IF payer IS NOT NULL THEN
        INSERT INTO {{schema}}.running_replies (user_id, bot, visitor, chat_id, reply_id, payer, hold_key, model, joinable,
          length, expires_at)
        VALUES (of_user, of_bot, of_visitor, of_chat, reply, payer, hold_key, given -> -1 ->> 'model', joinable, 0,
          moment + ttl_ms * interval '1 millisecond')
        ON CONFLICT DO NOTHING;
      END IF;
    END IF;
  END IF;
  PERFORM set_config('parley.user_id', user_before, true);
END
$function$;

-- Stores the final text of a reply, and deletes its running record. A reply that a sweeper ended, and that therefore
-- has failed, takes the new text and state; a reply that ended otherwise stays as it is.
CREATE FUNCTION {{schema}}.end_turn(
  of_user text, of_bot text, of_visitor text, of_chat uuid, reply uuid, reply_content text, reply_state text
) RETURNS void LANGUAGE plpgsql
SET role = none SET search_path = pg_catalog, pg_temp SET lock_timeout = 500
SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE
  user_before text := current_setting('parley.user_id', true);
  counted bigint;
  size bigint := octet_length(reply_content);
BEGIN
  PERFORM set_config('role', CASE of_bot WHEN '' THEN 'parley_user' ELSE 'parley_service' END, true),
    set_config('parley.user_id', CASE of_bot WHEN '' THEN of_user ELSE '' END, true);
  UPDATE {{schema}}.chats c SET bytes = c.bytes + size
  WHERE c.user_id = of_user AND c.bot = of_bot AND c.visitor = of_visitor AND c.id = of_chat;
  IF FOUND THEN
    UPDATE {{schema}}.messages m SET content = reply_content, state = reply_state
    WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply
      AND m.state = 'streaming';
    -- Nearly all replies are streaming here. Reading and locking the row before this write would cost every reply a
    -- statement.
    IF NOT FOUND THEN
      SELECT octet_length(m.content) INTO counted FROM {{schema}}.messages m
      WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply
        AND m.state = 'failed';
      IF FOUND THEN
        UPDATE {{schema}}.messages m SET content = reply_content, state = reply_state
        WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply;
      END IF;
      UPDATE {{schema}}.chats c SET bytes = c.bytes - coalesce(counted, size)
      WHERE c.user_id = of_user AND c.bot = of_bot AND c.visitor = of_visitor AND c.id = of_chat;
    END IF;
    DELETE FROM {{schema}}.running_replies r
    WHERE r.user_id = of_user AND r.bot = of_bot AND r.visitor = of_visitor AND r.chat_id = of_chat AND r.reply_id = reply;
  END IF;
  PERFORM set_config('parley.user_id', user_before, true);
END
$function$;

-- Ends the replies whose hold a sweeper ended without them: the stored text becomes the message, with the state
-- "failed". Chats that another call has locked are left to the next sweep.
CREATE FUNCTION {{schema}}.end_dead_turns() RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
  WITH found AS MATERIALIZED (
    SELECT r.user_id, r.bot, r.visitor, r.chat_id, r.reply_id, r.payer, r.hold_key FROM {{schema}}.running_replies r
    WHERE NOT EXISTS (SELECT FROM {{schema}}.credit_holds h WHERE h.user_id = r.payer AND h.key = r.hold_key)
  ), chat AS MATERIALIZED (
    SELECT c.user_id, c.bot, c.visitor, c.id AS chat_id FROM {{schema}}.chats c
    WHERE (c.user_id, c.bot, c.visitor, c.id) IN (SELECT user_id, bot, visitor, chat_id FROM found)
    FOR NO KEY UPDATE SKIP LOCKED
  ), dead AS (
    DELETE FROM {{schema}}.running_replies r USING found f JOIN chat USING (user_id, bot, visitor, chat_id)
    WHERE r.user_id = f.user_id AND r.bot = f.bot AND r.visitor = f.visitor AND r.chat_id = f.chat_id
      AND r.reply_id = f.reply_id AND r.payer = f.payer AND r.hold_key = f.hold_key
    RETURNING r.user_id, r.bot, r.visitor, r.chat_id, r.reply_id
  ), whole AS (
    SELECT d.*, (
      SELECT coalesce(string_agg(t.text, '' ORDER BY t.start_offset), '') FROM {{schema}}.running_reply_texts t
      WHERE t.user_id = d.user_id AND t.bot = d.bot AND t.visitor = d.visitor AND t.chat_id = d.chat_id
        AND t.reply_id = d.reply_id
    ) AS content FROM dead d
  ), known AS (
    -- If the process was alive, an earlier sweep may have ended the reply already: its message then has failed with a
    -- shorter text.
    SELECT w.*, octet_length(m.content) AS counted FROM whole w JOIN {{schema}}.messages m
      ON m.user_id = w.user_id AND m.bot = w.bot AND m.visitor = w.visitor AND m.chat_id = w.chat_id AND m.id = w.reply_id
    WHERE m.state = 'streaming' OR (m.state = 'failed' AND octet_length(w.content) > octet_length(m.content))
  ), ended AS (
    UPDATE {{schema}}.messages m SET content = k.content, state = 'failed' FROM known k
    WHERE m.user_id = k.user_id AND m.bot = k.bot AND m.visitor = k.visitor AND m.chat_id = k.chat_id
      AND m.id = k.reply_id
    RETURNING m.user_id, m.bot, m.visitor, m.chat_id, octet_length(m.content) - k.counted AS bytes
  )
  UPDATE {{schema}}.chats c SET bytes = c.bytes + e.bytes
  FROM (SELECT user_id, bot, visitor, chat_id, sum(bytes) AS bytes FROM ended GROUP BY user_id, bot, visitor, chat_id) e
  WHERE c.user_id = e.user_id AND c.bot = e.bot AND c.visitor = e.visitor AND c.id = e.chat_id;
END
$function$;
