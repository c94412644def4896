-- compatible from 0032
-- The sites whose pages asked for the chat of a bot, so that the owner sees if it is installed. A row names a site, and
-- nothing of a visitor.
CREATE TABLE {{schema}}.bot_sites (
  user_id text COLLATE "C" NOT NULL,
  bot_id uuid NOT NULL,
  -- An origin (RFC 6454), such as https://example.com.
  site text COLLATE "C" NOT NULL CHECK (site ~ '^https?://[^/ ]+$' AND char_length(site) <= 300),
  -- False if the bot's settings did not allow it.
  allowed boolean NOT NULL,
  -- When it last asked, to an hour.
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, bot_id, site),
  FOREIGN KEY (user_id, bot_id) REFERENCES {{schema}}.bots (user_id, id) ON DELETE CASCADE
);

-- The owner of the bot reads the rows; the service writes them when a page asks.
ALTER TABLE {{schema}}.bot_sites ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.bot_sites FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.bot_sites TO parley_service USING (true);
GRANT SELECT ON {{schema}}.bot_sites TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.bot_sites TO parley_service;
