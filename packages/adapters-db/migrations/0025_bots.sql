-- Bots, their public keys, and the documents from which they answer.
CREATE TABLE {{schema}}.bots (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  id uuid NOT NULL,
  -- The owner's settings: BotSettings of the core without the documents. Reading decodes them with the same schema. The
  -- keys by which pages are styled and addressed are checked here too.
  settings jsonb NOT NULL CHECK (coalesce(
    jsonb_typeof(settings) = 'object' AND octet_length(settings::text) <= 262144
    AND jsonb_typeof(settings -> 'displayName') = 'string' AND char_length(settings ->> 'displayName') BETWEEN 1 AND 100
    AND settings ->> 'primaryColor' ~ '^#[0-9a-f]{6}$'
    AND jsonb_typeof(settings -> 'instructions') = 'string' AND jsonb_typeof(settings -> 'allowedSites') = 'array'
    AND jsonb_typeof(settings -> 'active') = 'boolean', false)),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id)
);

CREATE TABLE {{schema}}.bot_keys (
  user_id text COLLATE "C" NOT NULL,
  bot_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL CHECK (key ~ '^pk_[0-9a-z]{32}$'),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, bot_id, key),
  FOREIGN KEY (user_id, bot_id) REFERENCES {{schema}}.bots (user_id, id) ON DELETE CASCADE
);
-- Visitors know only the key. Not unique: keys are random, and a unique key across owners could not be partitioned by
-- them.
CREATE INDEX bot_keys_by_key ON {{schema}}.bot_keys (key);

-- The owner leads both references, so that no bot can have another owner's document.
CREATE TABLE {{schema}}.bot_documents (
  user_id text COLLATE "C" NOT NULL,
  bot_id uuid NOT NULL,
  document_id uuid NOT NULL,
  -- From 1, in the owner's order.
  position integer NOT NULL CHECK (position >= 1),
  PRIMARY KEY (user_id, bot_id, document_id),
  FOREIGN KEY (user_id, bot_id) REFERENCES {{schema}}.bots (user_id, id) ON DELETE CASCADE,
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);
-- The deletion of a document looks up the bots that use it.
CREATE INDEX bot_documents_by_document ON {{schema}}.bot_documents (user_id, document_id);

ALTER TABLE {{schema}}.bots ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.bots TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.bots TO parley_service USING (true);

ALTER TABLE {{schema}}.bot_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.bot_keys TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.bot_keys TO parley_service USING (true);

ALTER TABLE {{schema}}.bot_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.bot_documents TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.bot_documents TO parley_service USING (true);
