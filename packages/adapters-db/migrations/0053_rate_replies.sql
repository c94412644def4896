-- compatible from 0032
-- Stores the rating of a reply that a model wrote and that has ended, or removes it if "given" is null, with the event
-- "reply.rated" for each destination that subscribed to it. Enters the role of the conversation's author, as "begin_turn" does;
-- the service writes the event. Returns true if there is such a reply.
CREATE FUNCTION {{schema}}.rate_reply(
  of_user text, of_bot text, of_visitor text, of_chat uuid, reply uuid, given jsonb, source text
) RETURNS boolean LANGUAGE plpgsql
SET role = none SET search_path = pg_catalog, pg_temp SET lock_timeout = 3000
AS $function$
DECLARE
  user_before text := current_setting('parley.user_id', true);
  by_model text;
BEGIN
  PERFORM set_config('role', CASE of_bot WHEN '' THEN 'parley_user' ELSE 'parley_service' END, true),
    set_config('parley.user_id', CASE of_bot WHEN '' THEN of_user ELSE '' END, true);
  UPDATE {{schema}}.messages m SET rating = given
  WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply
    AND m.model IS NOT NULL AND m.state <> 'streaming'
  RETURNING m.model INTO by_model;
  PERFORM set_config('role', 'parley_service', true), set_config('parley.user_id', user_before, true);
  IF by_model IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO {{schema}}.event_deliveries (user_id, event_id, destination, type, created_at, data)
  SELECT of_user, e.id, d.id, 'reply.rated', clock_timestamp(), jsonb_build_object('account', of_user, 'source', source,
    'replyId', reply, 'chatId', of_chat, 'model', by_model, 'rating', 'none') || coalesce(given, '{}')
  FROM (SELECT {{schema}}.new_event_id() AS id OFFSET 0) e
  JOIN {{schema}}.event_destinations d ON d.disabled_at IS NULL AND d.asked_at ? 'reply.rated';
  RETURN true;
END
$function$;
GRANT EXECUTE ON FUNCTION {{schema}}.rate_reply(text, text, text, uuid, uuid, jsonb, text) TO parley_service;
