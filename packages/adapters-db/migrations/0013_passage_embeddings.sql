-- Embeddings of passages, if an embedder is configured. They are stored as plain numbers, so that a server without
-- pgvector has every table. Comparing them needs the extension; without it, a search uses words alone.

CREATE TABLE {{schema}}.passage_embeddings (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  ordinal integer NOT NULL,
  -- The embedder's provider, model and dimensions. Embeddings of different models cannot be compared.
  model text NOT NULL CHECK (char_length(model) BETWEEN 1 AND 255),
  embedding real[] NOT NULL CHECK (cardinality(embedding) BETWEEN 1 AND 16000),
  PRIMARY KEY (user_id, document_id, generation, ordinal),
  FOREIGN KEY (user_id, document_id, generation)
    REFERENCES {{schema}}.passage_generations (user_id, document_id, generation) ON DELETE CASCADE
);
-- The numbers have no pattern, so compression would gain nothing.
ALTER TABLE {{schema}}.passage_embeddings ALTER COLUMN embedding SET STORAGE EXTERNAL;

ALTER TABLE {{schema}}.passage_embeddings ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.passage_embeddings TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.passage_embeddings TO parley_service USING (true);

-- The extension, if the server has it and this login may add it. An administrator can add it later: CREATE EXTENSION vector.
DO $migration$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
    CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA {{schema}};
  END IF;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR unique_violation THEN
  RAISE NOTICE 'pgvector is not added to this database';
END
$migration$;
