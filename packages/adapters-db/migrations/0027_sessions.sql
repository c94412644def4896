-- Sessions that were signed out before their tokens expired. A row does not identify its person.
CREATE TABLE {{schema}}.revoked_sessions (
  -- The SHA-256 of the token.
  digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX revoked_sessions_by_time ON {{schema}}.revoked_sessions (revoked_at);
CREATE INDEX revoked_sessions_by_end ON {{schema}}.revoked_sessions (expires_at);

ALTER TABLE {{schema}}.revoked_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.revoked_sessions TO parley_service USING (true);
