-- Conversations and their messages. The owner leads every key: the person, then the bot and the visitor if the
-- conversation is one of a visitor with the person's bot. The person's id comes first, so that the tables can be
-- sharded by it.
CREATE TABLE {{schema}}.chats (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  -- Both empty for a person's own conversations.
  bot text COLLATE "C" NOT NULL CHECK (char_length(bot) <= 255),
  visitor text COLLATE "C" NOT NULL CHECK (char_length(visitor) <= 255),
  id uuid NOT NULL,
  title text NOT NULL,
  -- Position of the newest message; taking the next ones locks this row, which orders concurrent turns.
  last_position bigint NOT NULL CHECK (last_position >= 0),
  -- Size of the messages as it counts towards the quota: contents and the texts of sources, in bytes of UTF-8.
  bytes bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  -- The documents that the last request named, and those that the owner stored with the chat; null if none were ever
  -- stored.
  asked_document_ids uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(asked_document_ids) <= 1000),
  document_ids uuid[] CHECK (cardinality(document_ids) <= 1000),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, bot, visitor, id),
  CHECK ((bot = '') = (visitor = ''))
);
CREATE INDEX chats_by_use ON {{schema}}.chats (user_id, bot, updated_at DESC, id);

CREATE TABLE {{schema}}.messages (
  user_id text COLLATE "C" NOT NULL,
  bot text COLLATE "C" NOT NULL,
  visitor text COLLATE "C" NOT NULL,
  chat_id uuid NOT NULL,
  -- From 1, in the order of the conversation.
  position bigint NOT NULL CHECK (position >= 1),
  id uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  content text NOT NULL,
  state text NOT NULL CHECK (state IN ('complete', 'streaming', 'stopped', 'failed')),
  model text,
  sources jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(sources) = 'array'),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, bot, visitor, chat_id, position),
  CONSTRAINT messages_id UNIQUE (user_id, bot, visitor, chat_id, id),
  FOREIGN KEY (user_id, bot, visitor, chat_id) REFERENCES {{schema}}.chats (user_id, bot, visitor, id) ON DELETE CASCADE
);

-- Replies that are being written. A reply's text is stored here until it is in its message, beside the key of the hold
-- that pays for it. A row is deleted in the commit that ends its hold.
CREATE TABLE {{schema}}.running_replies (
  user_id text COLLATE "C" NOT NULL,
  bot text COLLATE "C" NOT NULL,
  visitor text COLLATE "C" NOT NULL,
  chat_id uuid NOT NULL,
  -- The id of the message that the reply becomes. The message does not exist before the first words.
  reply_id uuid NOT NULL,
  -- The account that pays for the reply, and the key of the hold.
  payer text COLLATE "C" NOT NULL CHECK (char_length(payer) BETWEEN 1 AND 255),
  hold_key text COLLATE "C" NOT NULL CHECK (hold_key <> ''),
  model text NOT NULL,
  -- True if clients other than the first one may read the reply.
  joinable boolean NOT NULL,
  -- Length of the stored text, in UTF-16 units.
  length integer NOT NULL CHECK (length >= 0),
  stop_asked boolean NOT NULL DEFAULT false,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The reply counts as dead after this moment, unless a heartbeat moves it first.
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, bot, visitor, chat_id, reply_id),
  FOREIGN KEY (user_id, bot, visitor, chat_id) REFERENCES {{schema}}.chats (user_id, bot, visitor, id) ON DELETE CASCADE
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- There is no further index, because each reply and each heartbeat would have to maintain it. Sweepers scan the table,
-- which is small.

CREATE TABLE {{schema}}.running_reply_texts (
  user_id text COLLATE "C" NOT NULL,
  bot text COLLATE "C" NOT NULL,
  visitor text COLLATE "C" NOT NULL,
  chat_id uuid NOT NULL,
  reply_id uuid NOT NULL,
  -- Offset of this part in the reply, in UTF-16 units.
  start_offset integer NOT NULL CHECK (start_offset >= 0),
  text text NOT NULL CHECK (text <> ''),
  PRIMARY KEY (user_id, bot, visitor, chat_id, reply_id, start_offset),
  FOREIGN KEY (user_id, bot, visitor, chat_id, reply_id)
    REFERENCES {{schema}}.running_replies (user_id, bot, visitor, chat_id, reply_id) ON DELETE CASCADE
);

-- A person writes their own chats. The owner of a bot may read and delete the conversations of its visitors; the
-- service, which acts for visitors, writes them.
ALTER TABLE {{schema}}.chats ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.chats FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_deletes ON {{schema}}.chats FOR DELETE TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_begins ON {{schema}}.chats FOR INSERT TO parley_user
  WITH CHECK (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY owner_continues ON {{schema}}.chats FOR UPDATE TO parley_user
  USING (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY service ON {{schema}}.chats TO parley_service USING (true);

ALTER TABLE {{schema}}.messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.messages FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_deletes ON {{schema}}.messages FOR DELETE TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_begins ON {{schema}}.messages FOR INSERT TO parley_user
  WITH CHECK (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY owner_continues ON {{schema}}.messages FOR UPDATE TO parley_user
  USING (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY service ON {{schema}}.messages TO parley_service USING (true);

ALTER TABLE {{schema}}.running_replies ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.running_replies FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_deletes ON {{schema}}.running_replies FOR DELETE TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_begins ON {{schema}}.running_replies FOR INSERT TO parley_user
  WITH CHECK (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY owner_continues ON {{schema}}.running_replies FOR UPDATE TO parley_user
  USING (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY service ON {{schema}}.running_replies TO parley_service USING (true);

ALTER TABLE {{schema}}.running_reply_texts ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.running_reply_texts FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_deletes ON {{schema}}.running_reply_texts FOR DELETE TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY owner_begins ON {{schema}}.running_reply_texts FOR INSERT TO parley_user
  WITH CHECK (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY owner_continues ON {{schema}}.running_reply_texts FOR UPDATE TO parley_user
  USING (user_id = current_setting('parley.user_id', true) AND bot = '');
CREATE POLICY service ON {{schema}}.running_reply_texts TO parley_service USING (true);
