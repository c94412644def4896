-- Events counted in windows of time, for all server processes together. Each subject and name has one row, which later
-- windows use again.
CREATE TABLE {{schema}}.rate_windows (
  -- The subject of the events: a user id, or another name that cannot be confused with one.
  subject text COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  count bigint NOT NULL CHECK (count >= 1),
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (subject, name)
) WITH (fillfactor = 80);

ALTER TABLE {{schema}}.rate_windows ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.rate_windows TO parley_service USING (true);
