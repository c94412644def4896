-- Bots connected to the CRMs of their owners. A connection is deleted with its bot.
CREATE TABLE {{schema}}.crm_connections (
  user_id text COLLATE "C" NOT NULL,
  bot_id uuid NOT NULL,
  provider text COLLATE "C" NOT NULL CHECK (provider IN ('provider_one', 'provider_two')),
  -- The tokens, encrypted for this owner, bot and provider. The key is not in this database.
  sealed text COLLATE "C" NOT NULL CHECK (octet_length(sealed) BETWEEN 1 AND 65536),
  key_id text COLLATE "C" NOT NULL CHECK (key_id ~ '^[A-Za-z0-9_-]{1,32}$'),
  -- When the access token expires, if the provider said so, and whether it can be refreshed.
  expires_at timestamptz,
  refreshable boolean NOT NULL,
  -- The provider's id and name of the account, to show to people.
  account_id text CHECK (char_length(account_id) BETWEEN 1 AND 200),
  account_name text CHECK (char_length(account_name) BETWEEN 1 AND 200),
  connected_at timestamptz NOT NULL,
  connected_by text NOT NULL CHECK (char_length(connected_by) <= 255),
  state text NOT NULL DEFAULT 'connected',
  problem text,
  -- Changes with each change of tokens or state.
  version bigint NOT NULL,
  -- The last claim on the refresh, and the number of claims in a row that were not ended.
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
  -- The sealed text contains the id of its key.
  CHECK (split_part(sealed, '.', 2) = key_id)
);

-- No two saves of one connection have the same version, even if it was deleted in between.
CREATE SEQUENCE {{schema}}.crm_versions AS bigint;

ALTER TABLE {{schema}}.crm_connections ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.crm_connections TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.crm_connections TO parley_service USING (true);

-- States of authorization requests that were used, stored until their expiry.
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
