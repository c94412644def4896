-- Documents indexed anew beside what is searched of them: what an indexing was made by, embeddings that are paid for once,
-- runs that go on where they stopped, and who is at which document.

-- Where any of it is another today, the document is to be indexed anew. All null where it is not known.
ALTER TABLE {{schema}}.passage_generations
  -- The version of the parser that read the text; null where it has none.
  ADD COLUMN parser text CHECK (char_length(parser) BETWEEN 1 AND 255),
  -- The version of how texts become passages and terms.
  ADD COLUMN version integer CHECK (version >= 1),
  -- The provider, model and dimensions of its embeddings; null where it has none.
  ADD COLUMN embedder text CHECK (char_length(embedder) BETWEEN 1 AND 255),
  -- When it became the one that is searched.
  ADD COLUMN activated_at timestamptz;

-- SHA-256 of what was embedded: the same text of the same owner is not asked for again. An embedding is kept as soon as it
-- is there, before its passage is written.
ALTER TABLE {{schema}}.passage_embeddings ADD COLUMN content_hash bytea CHECK (octet_length(content_hash) = 32);
CREATE INDEX passage_embeddings_content ON {{schema}}.passage_embeddings (user_id, content_hash);

-- Runs over many documents that have not ended, each by a name that tells nothing of anybody.
CREATE TABLE {{schema}}.reindex_runs (
  scope text COLLATE "C" PRIMARY KEY CHECK (char_length(scope) BETWEEN 1 AND 64),
  begun_at timestamptz NOT NULL
);
ALTER TABLE {{schema}}.reindex_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.reindex_runs TO parley_service USING (true);

-- Documents that somebody is indexing anew, so that two who do so at once do not pay for the same twice. A claim of one who
-- died ends by itself.
CREATE TABLE {{schema}}.reindex_claims (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, document_id),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);
ALTER TABLE {{schema}}.reindex_claims ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.reindex_claims TO parley_service USING (true);
