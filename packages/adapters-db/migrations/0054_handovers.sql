-- compatible from 0032
-- Conversations of visitors in which a person answers in the place of the bot. A conversation without a row here is the
-- bot's. A row is deleted with its conversation.
CREATE TABLE {{schema}}.handovers (
  user_id text COLLATE "C" NOT NULL,
  bot text COLLATE "C" NOT NULL CHECK (bot <> ''),
  visitor text COLLATE "C" NOT NULL,
  chat_id uuid NOT NULL,
  -- "waiting" for a person, "open" while a person has it, "solved" when the person is done.
  state text NOT NULL CHECK (state IN ('waiting', 'open', 'solved')),
  -- The visitor's address, if the visitor gave one, and the page on which the visitor asked.
  email text CHECK (char_length(email) BETWEEN 3 AND 254),
  page text CHECK (char_length(page) <= 2000),
  language text NOT NULL CHECK (language IN ('en', 'de')),
  -- The person who has the conversation.
  assignee text COLLATE "C",
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When the visitor last looked for new messages, to some seconds.
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The mails to the visitor so far, which are bounded.
  mails integer NOT NULL DEFAULT 0 CHECK (mails >= 0),
  PRIMARY KEY (user_id, bot, visitor, chat_id),
  FOREIGN KEY (user_id, bot, visitor, chat_id) REFERENCES {{schema}}.chats (user_id, bot, visitor, id) ON DELETE CASCADE
);
CREATE INDEX handovers_by_state ON {{schema}}.handovers (user_id, bot, state);

-- The owner of the bot reads the rows; the service writes them, for visitors and for the owner.
ALTER TABLE {{schema}}.handovers ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.handovers FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.handovers TO parley_service USING (true);
GRANT SELECT ON {{schema}}.handovers TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.handovers TO parley_service;

-- The name of the person who answered in the place of a bot, as the visitor sees it; null for all other messages.
ALTER TABLE {{schema}}.messages ADD COLUMN author text;

-- An event for a conversation whose visitor asks for a person.
CREATE FUNCTION {{schema}}.tell_conversation() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO {{schema}}.event_deliveries (user_id, event_id, destination, type, created_at, data)
  SELECT NEW.user_id, e.id, d.id, 'conversation.waiting', clock_timestamp(),
    jsonb_strip_nulls(jsonb_build_object('account', NEW.user_id, 'botId', NEW.bot, 'conversationId', NEW.chat_id,
      'page', NEW.page))
  FROM (SELECT {{schema}}.new_event_id() AS id OFFSET 0) e
  JOIN {{schema}}.event_destinations d ON d.disabled_at IS NULL AND d.asked_at ? 'conversation.waiting';
  RETURN NULL;
END
$function$;
GRANT EXECUTE ON FUNCTION {{schema}}.tell_conversation() TO parley_service;
CREATE TRIGGER conversation_begun_waiting AFTER INSERT ON {{schema}}.handovers FOR EACH ROW
  WHEN (NEW.state = 'waiting') EXECUTE FUNCTION {{schema}}.tell_conversation();
CREATE TRIGGER conversation_waits AFTER UPDATE OF state ON {{schema}}.handovers FOR EACH ROW
  WHEN (NEW.state = 'waiting' AND OLD.state <> 'waiting') EXECUTE FUNCTION {{schema}}.tell_conversation();
