-- compatible from 0032
-- The workers of all processes. A row without a recent sign of life, and without an end, is a worker that died.
CREATE TABLE {{schema}}.workers (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  left_at timestamptz
);
ALTER TABLE {{schema}}.workers ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.workers TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.workers TO parley_service;
