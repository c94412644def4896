-- Stores the beginning and the end of a turn of a chat. Functions, so that each connection plans their statements once,
-- and so that a turn is one message to the server, not begun and committed by others: they enter the role that writes
-- the conversation themselves, and take their bounds with them. A person's own is written as that person, under
-- row-level security; a visitor's by the service. Both roles are left at the end, also within another transaction.
--
-- The chat's row is locked first, as whatever deletes it does. "of_bot" and "of_visitor" are empty for a person's own.

-- Stores what is new and an empty reply. The insertion into "chats", or its update, locks the chat's row and takes the next
-- positions, so that turns of one chat cannot interleave. Where the reply is there already the chat is left alone, and with
-- it everything else; two at the same moment meet at the unique key of messages. A turn that continues a chat neither
-- comes too late for a deletion nor undoes one.
CREATE FUNCTION {{schema}}.begin_turn(
  of_user text, of_bot text, of_visitor text, of_chat uuid, new_title text, messages_given integer, reply uuid,
  given jsonb, continues boolean, more_bytes bigint, documents uuid[]
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
      FROM jsonb_array_elements(given) WITH ORDINALITY AS message (value, ordinal);
    END IF;
  END IF;
  PERFORM set_config('parley.user_id', user_before, true);
END
$function$;

-- Stores what a reply became. One that has ended stays as it is.
CREATE FUNCTION {{schema}}.end_turn(
  of_user text, of_bot text, of_visitor text, of_chat uuid, reply uuid, reply_content text, reply_state text
) RETURNS void LANGUAGE plpgsql
SET role = none SET search_path = pg_catalog, pg_temp SET lock_timeout = 3000
SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE
  user_before text := current_setting('parley.user_id', true);
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
    -- Nearly always it was: to lock the row and look before it is written would cost every reply.
    IF NOT FOUND THEN
      UPDATE {{schema}}.chats c SET bytes = c.bytes - size
      WHERE c.user_id = of_user AND c.bot = of_bot AND c.visitor = of_visitor AND c.id = of_chat;
    END IF;
  END IF;
  PERFORM set_config('parley.user_id', user_before, true);
END
$function$;

-- Where databases are hardened, no role may run functions by default.
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {{schema}} TO parley_service;
