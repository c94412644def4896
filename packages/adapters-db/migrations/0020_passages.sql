-- Passages of documents and an inverted index over their terms, for ranking by BM25 with each owner's own statistics.

-- One indexing of one document. A new generation is built beside the one that is searched and then takes its place.
CREATE TABLE {{schema}}.passage_generations (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL CHECK (generation >= 1),
  -- Only the active generation is searched and counted.
  active boolean NOT NULL,
  -- Of the text and of how it is cut: an unfinished generation is continued only under the same.
  fingerprint text NOT NULL CHECK (char_length(fingerprint) BETWEEN 1 AND 255),
  -- UTF-16 offsets at which the pages of the text start; null where the document has none.
  page_starts integer[],
  -- How many it has so far, and how many terms are in them.
  passages integer NOT NULL CHECK (passages >= 0),
  terms bigint NOT NULL CHECK (terms >= 0),
  PRIMARY KEY (user_id, document_id, generation),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX passage_generations_active ON {{schema}}.passage_generations (user_id, document_id)
  INCLUDE (generation, passages, terms) WHERE active;

-- The text a generation was cut from, in parts: the passages are what it has at their offsets.
CREATE TABLE {{schema}}.document_texts (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  -- From 0; with the size of a part, the bound of a text.
  part integer NOT NULL CHECK (part BETWEEN 0 AND 255),
  text text NOT NULL CHECK (octet_length(text) BETWEEN 1 AND 786432),
  PRIMARY KEY (user_id, document_id, generation, part),
  FOREIGN KEY (user_id, document_id, generation)
    REFERENCES {{schema}}.passage_generations (user_id, document_id, generation) ON DELETE CASCADE
);

CREATE TABLE {{schema}}.passages (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  ordinal integer NOT NULL CHECK (ordinal >= 0),
  -- From 1; null where the document has no pages.
  page integer CHECK (page >= 1),
  -- UTF-16 offsets into the document's text.
  start_offset integer NOT NULL CHECK (start_offset >= 0),
  end_offset integer NOT NULL CHECK (end_offset > start_offset),
  text text NOT NULL,
  -- Terms in the text, stop words left out.
  terms integer NOT NULL CHECK (terms >= 0),
  PRIMARY KEY (user_id, document_id, generation, ordinal),
  FOREIGN KEY (user_id, document_id, generation)
    REFERENCES {{schema}}.passage_generations (user_id, document_id, generation) ON DELETE CASCADE
);

-- Where a term occurs in a block of a document's passages: element by element the passage, how often the term is in it,
-- and how many terms it has in all. One row holds a few hundred passages at most.
CREATE TABLE {{schema}}.postings (
  user_id text COLLATE "C" NOT NULL,
  term text NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  -- The first passage of the block.
  block integer NOT NULL CHECK (block >= 0),
  passages integer NOT NULL CHECK (passages >= 1),
  ordinals integer[] NOT NULL CHECK (cardinality(ordinals) = passages),
  frequencies integer[] NOT NULL CHECK (cardinality(frequencies) = passages),
  lengths integer[] NOT NULL CHECK (cardinality(lengths) = passages),
  PRIMARY KEY (user_id, document_id, generation, term, block),
  FOREIGN KEY (user_id, document_id, generation)
    REFERENCES {{schema}}.passage_generations (user_id, document_id, generation) ON DELETE CASCADE
);
CREATE INDEX postings_by_term ON {{schema}}.postings (user_id, term, document_id, generation) INCLUDE (block, passages);

ALTER TABLE {{schema}}.passage_generations ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.passage_generations TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.passage_generations TO parley_service USING (true);

ALTER TABLE {{schema}}.document_texts ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.document_texts TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.document_texts TO parley_service USING (true);

ALTER TABLE {{schema}}.passages ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.passages TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.passages TO parley_service USING (true);

ALTER TABLE {{schema}}.postings ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.postings TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.postings TO parley_service USING (true);

-- People search and read; only jobs index.
GRANT SELECT ON {{schema}}.passage_generations, {{schema}}.document_texts, {{schema}}.passages, {{schema}}.postings
  TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON {{schema}}.passage_generations, {{schema}}.document_texts, {{schema}}.passages, {{schema}}.postings
  TO parley_service;
