-- compatible from 0032
-- The directory of cells: which database has the rows of which owner. Read and written in the global database alone; in
-- every other database these tables stay empty.
CREATE TABLE {{schema}}.cells (
  name text COLLATE "C" PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  -- A draining cell gets no buckets and no owners.
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'draining'))
);

-- An owner's bucket is the first 12 bits of the SHA-256 of the owner's id in UTF-8.
CREATE TABLE {{schema}}.cell_buckets (
  bucket smallint PRIMARY KEY CHECK (bucket BETWEEN 0 AND 4095),
  cell text COLLATE "C" NOT NULL REFERENCES {{schema}}.cells (name)
);

-- Owners whose cell is not that of their bucket: moved ones, and the pseudonyms of erased people.
CREATE TABLE {{schema}}.placements (
  owner text COLLATE "C" PRIMARY KEY CHECK (char_length(owner) BETWEEN 1 AND 255),
  cell text COLLATE "C" NOT NULL REFERENCES {{schema}}.cells (name),
  -- Grows with each change, in the order of the commits. A process reads the changes since its last look by it.
  version bigint NOT NULL UNIQUE CHECK (version > 0),
  state text NOT NULL DEFAULT 'here' CHECK (state IN ('here', 'moving'))
);

ALTER TABLE {{schema}}.cells ENABLE ROW LEVEL SECURITY;
ALTER TABLE {{schema}}.cell_buckets ENABLE ROW LEVEL SECURITY;
ALTER TABLE {{schema}}.placements ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.cells TO parley_service USING (true);
CREATE POLICY service ON {{schema}}.cell_buckets TO parley_service USING (true);
CREATE POLICY service ON {{schema}}.placements TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE ON {{schema}}.cells, {{schema}}.cell_buckets, {{schema}}.placements TO parley_service;
