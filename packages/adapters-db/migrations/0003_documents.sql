-- Uploaded documents and their bytes.
CREATE TABLE {{schema}}.documents (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  id uuid NOT NULL,
  filename text NOT NULL CHECK (filename <> ''),
  type text NOT NULL CHECK (type ~ '^[a-z0-9]{1,16}$'),
  bytes bigint NOT NULL CHECK (bytes BETWEEN 0 AND 9007199254740991),
  status text NOT NULL CHECK (status IN ('processing', 'ready', 'failed')),
  progress double precision NOT NULL CHECK (progress BETWEEN 0 AND 1),
  reason text CHECK (reason IS NULL OR status = 'failed'),
  reason_code text CHECK (reason_code IS NULL OR (status = 'failed' AND reason_code ~ '^[a-z_]{1,32}$')),
  pages integer CHECK (pages >= 0),
  passages integer CHECK (passages >= 0),
  created_at timestamptz NOT NULL,
  -- Number of generations of passages that were begun so far. No number is used twice, so that a delayed writer of one
  -- generation never finds the rows of another.
  generations integer NOT NULL DEFAULT 0 CHECK (generations >= 0),
  PRIMARY KEY (user_id, id)
);
-- Finds out if any owner has a document of this id, which distinguishes 403 from 404. Not unique: ids are random, and a
-- unique key across owners could not be partitioned by them.
CREATE INDEX documents_by_id ON {{schema}}.documents (id);
CREATE INDEX documents_by_age ON {{schema}}.documents (user_id, created_at DESC, id);
-- The documents that are being processed are read every minute.
CREATE INDEX documents_processing ON {{schema}}.documents (user_id, id) WHERE status = 'processing';

-- The bytes, cut into parts of 1 MiB. Storage is not compressed, because most formats are compressed already.
CREATE TABLE {{schema}}.file_parts (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  -- From 0.
  part integer NOT NULL CHECK (part >= 0),
  bytes bytea NOT NULL CHECK (octet_length(bytes) <= 1048576),
  PRIMARY KEY (user_id, document_id, part),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);
ALTER TABLE {{schema}}.file_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

ALTER TABLE {{schema}}.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.documents TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.documents TO parley_service USING (true);

ALTER TABLE {{schema}}.file_parts ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.file_parts TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.file_parts TO parley_service USING (true);
