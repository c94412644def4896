-- compatible from 0032
-- The documents that a reply was to read and of which the model was given nothing: a list of ids, null if there are none.
-- Only begin_turn writes it; the function is otherwise that of 0004.
ALTER TABLE {{schema}}.messages ADD COLUMN unread jsonb;

CREATE OR REPLACE FUNCTION {{schema}}.begin_turn(
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
      INSERT INTO {{schema}}.messages (user_id, bot, visitor, chat_id, position, id, role, content, state, model, sources,
        unread)
      SELECT of_user, of_bot, of_visitor, of_chat, newest - messages_given + message.ordinal,
        coalesce((message.value ->> 'id')::uuid, gen_random_uuid()),
        message.value ->> 'role', message.value ->> 'content', message.value ->> 'state', message.value ->> 'model',
        coalesce(message.value -> 'sources', '[]'), message.value -> 'unread'
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
