-- Bots connected to the CRMs of their owners. A connection is there as long as its bot.
CREATE TABLE {{schema}}.crm_connections (
  user_id text COLLATE "C" NOT NULL,
  bot_id uuid NOT NULL,
  provider text COLLATE "C" NOT NULL CHECK (provider IN ('provider_one', 'provider_two')),
  -- The tokens, sealed for this owner, bot and provider; the key is not in this database.
  sealed text COLLATE "C" NOT NULL CHECK (octet_length(sealed) BETWEEN 1 AND 65536),
  key_id text COLLATE "C" NOT NULL CHECK (key_id ~ '^[A-Za-z0-9_-]{1,32}$'),
  -- When the access token ends, where the provider said so, and whether it can be refreshed.
  expires_at timestamptz,
  refreshable boolean NOT NULL,
  -- What the provider tells of the account, for people.
  account_id text CHECK (char_length(account_id) BETWEEN 1 AND 200),
  account_name text CHECK (char_length(account_name) BETWEEN 1 AND 200),
  connected_at timestamptz NOT NULL,
  connected_by text NOT NULL CHECK (char_length(connected_by) <= 255),
  state text NOT NULL DEFAULT 'connected',
  problem text,
  -- Another one after each change of tokens or state.
  version bigint NOT NULL,
  -- The right to refresh, as it was given last, and how often it was given in a row without being ended.
  lease uuid,
  lease_until timestamptz,
  tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
  PRIMARY KEY (user_id, bot_id, provider),
  FOREIGN KEY (user_id, bot_id) REFERENCES {{schema}}.bots (user_id, id) ON DELETE CASCADE,
  CHECK (CASE state
    WHEN 'connected' THEN problem IS NULL
    WHEN 'needs_reconnect' THEN coalesce(problem IN ('expired', 'refused', 'answer_lost'), false)
    WHEN 'error' THEN coalesce(problem IN ('client', 'unavailable', 'unreadable'), false)
    ELSE false END),
  CHECK ((lease IS NULL) = (lease_until IS NULL)),
  -- What is sealed says by itself with which key.
  CHECK (split_part(sealed, '.', 2) = key_id)
);

-- No two saves of one connection have one version, also where it was removed in between.
CREATE SEQUENCE {{schema}}.crm_versions AS bigint;

ALTER TABLE {{schema}}.crm_connections ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.crm_connections TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.crm_connections TO parley_service USING (true);

-- States of authorization requests that were used, until they would have ended anyway.
CREATE TABLE {{schema}}.crm_spent_states (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  -- The SHA-256 of the state.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, digest)
);
CREATE INDEX crm_spent_states_by_end ON {{schema}}.crm_spent_states (expires_at);

ALTER TABLE {{schema}}.crm_spent_states ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.crm_spent_states TO parley_service USING (true);
