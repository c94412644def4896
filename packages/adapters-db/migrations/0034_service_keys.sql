-- compatible from 0032
-- The keys with which back ends of the operator call Parley. They belong to no person.
CREATE TABLE {{schema}}.service_keys (
  -- Stands in the key's text, in the source of its holds and in the audit log.
  id text COLLATE "C" PRIMARY KEY CHECK (char_length(id) BETWEEN 1 AND 40),
  name text NOT NULL CHECK (name <> ''),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  -- The SHA-256 of the key's text.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  -- The digest before the last rotation, and the end of the time in which it counts.
  previous_digest bytea CHECK (octet_length(previous_digest) = 32),
  previous_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Null if the key does not expire.
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz,
  CHECK ((previous_digest IS NULL) = (previous_until IS NULL))
);

ALTER TABLE {{schema}}.service_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.service_keys TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE ON {{schema}}.service_keys TO parley_service;
