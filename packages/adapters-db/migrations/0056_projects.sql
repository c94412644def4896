-- compatible from 0032
-- Folders of people's own chats, with instructions and documents for all replies in them.
CREATE TABLE {{schema}}.projects (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  -- Instructions for the model; empty for none.
  instructions text NOT NULL,
  -- The documents that replies may read; some may be deleted by now.
  document_ids uuid[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, id)
);
ALTER TABLE {{schema}}.projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.projects TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.projects TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.projects TO parley_user, parley_service;

-- The project of a person's own chat. A chat stays when its project is deleted.
ALTER TABLE {{schema}}.chats ADD COLUMN project_id uuid,
  ADD CONSTRAINT chats_project FOREIGN KEY (user_id, project_id) REFERENCES {{schema}}.projects (user_id, id)
    ON DELETE SET NULL (project_id) NOT VALID;
CREATE INDEX chats_by_project ON {{schema}}.chats (user_id, project_id, updated_at DESC) WHERE project_id IS NOT NULL;

-- The function of 0050 with the project of a new chat: the field "project" of the first message that is given. A project
-- that was deleted meanwhile is none.
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
  has_parent boolean := given -> 0 ? 'parent';
  parent bigint;
  newest bigint;
BEGIN
  PERFORM set_config('role', CASE of_bot WHEN '' THEN 'parley_user' ELSE 'parley_service' END, true),
    set_config('parley.user_id', CASE of_bot WHEN '' THEN of_user ELSE '' END, true);
  IF continues THEN
    PERFORM FROM {{schema}}.chats c
    WHERE c.user_id = of_user AND c.bot = of_bot AND c.visitor = of_visitor AND c.id = of_chat FOR UPDATE;
    goes_on := FOUND;
  END IF;
  IF goes_on AND has_parent THEN
    IF given -> 0 ->> 'parent' IS NULL THEN
      parent := 0;
    ELSE
      SELECT m.position INTO parent FROM {{schema}}.messages m
      WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat
        AND m.id = (given -> 0 ->> 'parent')::uuid;
      goes_on := FOUND;
    END IF;
  END IF;
  IF goes_on THEN
    INSERT INTO {{schema}}.chats AS c (user_id, bot, visitor, id, title, last_position, bytes, asked_document_ids,
      project_id)
    SELECT of_user, of_bot, of_visitor, of_chat, new_title, messages_given, more_bytes, documents,
      CASE WHEN given -> 0 ? 'project' THEN (
        SELECT p.id FROM {{schema}}.projects p
        WHERE p.user_id = of_user AND p.id = (given -> 0 ->> 'project')::uuid FOR KEY SHARE
      ) END
    WHERE NOT EXISTS (
      SELECT FROM {{schema}}.messages m
      WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply
    )
    ON CONFLICT (user_id, bot, visitor, id) DO UPDATE
    SET last_position = c.last_position + excluded.last_position, bytes = c.bytes + excluded.bytes,
      asked_document_ids = excluded.asked_document_ids, updated_at = moment
    RETURNING c.last_position INTO newest;
    IF FOUND THEN
      INSERT INTO {{schema}}.messages (user_id, bot, visitor, chat_id, position, parent_position, id, role, content, state,
        model, sources, unread)
      SELECT of_user, of_bot, of_visitor, of_chat, newest - messages_given + message.ordinal,
        CASE message.ordinal WHEN 1 THEN nullif(parent, newest - messages_given) END,
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
