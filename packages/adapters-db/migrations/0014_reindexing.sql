-- Re-indexing of documents beside the generation that is searched: the versions that an indexing used, embeddings that
-- are paid for once, runs that continue after an interruption, and claims on documents.

-- If any of these differs from the current value, the document needs re-indexing. All are null if they are unknown.
ALTER TABLE {{schema}}.passage_generations
  -- The version of the parser that read the text; null if it has no version.
  ADD COLUMN parser text CHECK (char_length(parser) BETWEEN 1 AND 255),
  -- The version of the rules that turn texts into passages and terms.
  ADD COLUMN version integer CHECK (version >= 1),
  -- The provider, model and dimensions of the embeddings; null if there are none.
  ADD COLUMN embedder text CHECK (char_length(embedder) BETWEEN 1 AND 255),
  -- When this generation became the one that is searched.
  ADD COLUMN activated_at timestamptz;

-- SHA-256 of the embedded text: the embedder is not called again for the same text of the same owner. An embedding is
-- stored as soon as it arrives, before its passage is written.
ALTER TABLE {{schema}}.passage_embeddings ADD COLUMN content_hash bytea CHECK (octet_length(content_hash) = 32);
CREATE INDEX passage_embeddings_content ON {{schema}}.passage_embeddings (user_id, content_hash);

-- Unfinished runs over many documents, each under a name that identifies no person.
CREATE TABLE {{schema}}.reindex_runs (
  scope text COLLATE "C" PRIMARY KEY CHECK (char_length(scope) BETWEEN 1 AND 64),
  begun_at timestamptz NOT NULL
);
ALTER TABLE {{schema}}.reindex_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.reindex_runs TO parley_service USING (true);

-- Documents that a process is re-indexing, so that two processes do not pay for the same embeddings. The claim of a
-- dead process expires.
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
