-- compatible from 0032
-- A chat is a tree. A message follows the one at the position before it, unless it names the position of another one: a
-- message that begins a branch. Position 0 stands before the first message. Chats of earlier releases are lines, and what an
-- earlier release adds continues the newest branch.
ALTER TABLE {{schema}}.messages ADD COLUMN parent_position bigint,
  ADD CONSTRAINT messages_parent CHECK (parent_position >= 0 AND parent_position < position - 1) NOT VALID;
CREATE INDEX messages_that_branch ON {{schema}}.messages (user_id, bot, visitor, chat_id, position) INCLUDE (parent_position)
  WHERE parent_position IS NOT NULL;

-- The positions of a branch, in ascending ranges, and the positions that messages name as the one they follow: only a message
-- that follows one of these can have other versions. The branch ends with the newest message of the chat or, if a message is
-- named, with that one (place "upTo"), before it ("before"), or with the newest message that follows it directly or through
-- others ("through"). It is empty if the chat has no such message.
CREATE FUNCTION {{schema}}.branch_of(
  of_user text, of_bot text, of_visitor text, of_chat uuid, newest bigint, named uuid, place text,
  OUT positions int8multirange, OUT branched bigint[]
) LANGUAGE plpgsql STABLE AS $function$
DECLARE
  -- The ranges of positions of which each follows the one before it, and the positions that their first messages follow.
  firsts bigint[];
  parents bigint[];
  lasts bigint[];
  ending bigint := newest;
  reached int8multirange;
BEGIN
  SELECT array_agg(m.position ORDER BY m.position), array_agg(m.parent_position ORDER BY m.position)
  INTO firsts, branched FROM {{schema}}.messages m
  WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat
    AND m.parent_position IS NOT NULL;
  IF named IS NOT NULL THEN
    SELECT CASE place WHEN 'before' THEN coalesce(m.parent_position, m.position - 1) ELSE m.position END INTO ending
    FROM {{schema}}.messages m
    WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = named;
  END IF;
  positions := '{}';
  IF firsts IS NULL OR ending IS NULL THEN
    IF ending > 0 AND place = 'through' THEN
      ending := newest;
    END IF;
    IF ending > 0 THEN
      positions := int8multirange(int8range(1, ending + 1));
    END IF;
    RETURN;
  END IF;
  lasts := firsts || (newest + 1);
  firsts := 1::bigint || firsts;
  parents := 0::bigint || branched;
  IF place = 'through' THEN
    reached := int8multirange(int8range(ending, ending + 1));
    FOR i IN 1 .. cardinality(firsts) LOOP
      IF ending >= firsts[i] AND ending < lasts[i] THEN
        reached := int8multirange(int8range(ending, lasts[i]));
      ELSIF reached @> parents[i] THEN
        reached := reached + int8multirange(int8range(firsts[i], lasts[i]));
      END IF;
    END LOOP;
    ending := upper(reached) - 1;
  END IF;
  FOR i IN REVERSE cardinality(firsts) .. 1 LOOP
    IF firsts[i] <= ending THEN
      positions := positions + int8multirange(int8range(firsts[i], ending + 1));
      ending := parents[i];
    END IF;
  END LOOP;
END
$function$;

-- The ids of the messages that follow the one at a position, oldest first.
CREATE FUNCTION {{schema}}.versions_after(of_user text, of_bot text, of_visitor text, of_chat uuid, parent bigint)
RETURNS uuid[] LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN ARRAY(
    SELECT m.id FROM {{schema}}.messages m
    WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat
      AND m.position = parent + 1 AND m.parent_position IS NULL
  ) || ARRAY(
    SELECT m.id FROM {{schema}}.messages m
    WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat
      AND m.parent_position IS NOT NULL AND m.parent_position = parent
    ORDER BY m.position
  );
END
$function$;

-- The function of 0045 with the parent of the first message that is given: "parent" is the id of the message that it
-- follows, null if it begins the chat anew; without "parent" it follows the newest message of all. If another message than
-- the newest one is the parent, the first message begins a branch. A parent that does not exist was deleted with its chat.
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
