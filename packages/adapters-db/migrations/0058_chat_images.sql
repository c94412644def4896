-- compatible from 0032
-- The images of people's messages: uploaded first, then named by a message, whose chat takes them.
CREATE TABLE {{schema}}.chat_images (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  id uuid NOT NULL,
  -- The chat of the person whose message has the image; null until then. The two columns below name it as a person's own.
  chat_id uuid,
  bot text COLLATE "C" NOT NULL DEFAULT '' CHECK (bot = ''),
  visitor text COLLATE "C" NOT NULL DEFAULT '' CHECK (visitor = ''),
  media_type text NOT NULL,
  width integer NOT NULL CHECK (width > 0),
  height integer NOT NULL CHECK (height > 0),
  bytes bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, bot, visitor, chat_id) REFERENCES {{schema}}.chats (user_id, bot, visitor, id) ON DELETE CASCADE
);
-- Images are compressed already.
ALTER TABLE {{schema}}.chat_images ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX chat_images_by_chat ON {{schema}}.chat_images (user_id, bot, visitor, chat_id);
ALTER TABLE {{schema}}.chat_images ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.chat_images TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.chat_images TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.chat_images TO parley_user, parley_service;

-- The images of a message; null for none.
ALTER TABLE {{schema}}.messages ADD COLUMN image_ids uuid[];

-- The function of 0056 with the images of a message: the field "images" of each one that is given, a list of ids. An image
-- without a chat becomes one of this chat.
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
        model, sources, unread, image_ids)
      SELECT of_user, of_bot, of_visitor, of_chat, newest - messages_given + message.ordinal,
        CASE message.ordinal WHEN 1 THEN nullif(parent, newest - messages_given) END,
        coalesce((message.value ->> 'id')::uuid, gen_random_uuid()),
        message.value ->> 'role', message.value ->> 'content', message.value ->> 'state', message.value ->> 'model',
        coalesce(message.value -> 'sources', '[]'), message.value -> 'unread',
        CASE WHEN message.value ? 'images' THEN ARRAY (
          SELECT image.id::uuid FROM jsonb_array_elements_text(message.value -> 'images') WITH ORDINALITY AS image (id, place)
          ORDER BY image.place
        ) END
      FROM jsonb_array_elements(given) WITH ORDINALITY AS message (value, ordinal)
      WHERE NOT EXISTS (
        SELECT FROM {{schema}}.messages m
        WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = reply
      );
      IF NOT FOUND THEN
        RAISE EXCEPTION 'The turn was begun at the same moment.' USING ERRCODE = 'serialization_failure';
      END IF;
      IF given @? '$[*].images' THEN
        UPDATE {{schema}}.chat_images i SET chat_id = of_chat
        FROM jsonb_array_elements(given) AS message (value)
        CROSS JOIN LATERAL jsonb_array_elements_text(message.value -> 'images') AS image (id)
        WHERE message.value ? 'images' AND i.user_id = of_user AND i.id = image.id::uuid AND i.chat_id IS NULL;
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
