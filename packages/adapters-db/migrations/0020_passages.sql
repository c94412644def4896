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
  -- By which its words are stemmed.
  language text NOT NULL CHECK (language ~ '^[a-z]{2,3}$'),
  -- UTF-16 offsets at which the pages of the text start; null where the document has none.
  page_starts integer[],
  -- Level, title and UTF-16 offset of each heading of the text, in order; null where it has none.
  headings jsonb CHECK (jsonb_typeof(headings) = 'array'),
  -- How many it has so far, and how many terms are in them.
  passages integer NOT NULL CHECK (passages >= 0),
  terms bigint NOT NULL CHECK (terms >= 0),
  PRIMARY KEY (user_id, document_id, generation),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX passage_generations_active ON {{schema}}.passage_generations (user_id, document_id)
  INCLUDE (generation, language) WHERE active;

-- The text a generation was cut from, in parts: the passages are what it has at their offsets.
CREATE TABLE {{schema}}.document_texts (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  -- From 0; with the size of a part, the bound of a text.
  part integer NOT NULL CHECK (part BETWEEN 0 AND 255),
  -- Where it begins and ends in the whole text, in UTF-16 units.
  start_offset integer NOT NULL CHECK (start_offset >= 0),
  end_offset integer NOT NULL CHECK (end_offset > start_offset),
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
  -- Those it stands under where it starts and those that begin in it; null where there are none.
  headings jsonb CHECK (jsonb_typeof(headings) = 'array'),
  -- Terms it is found by, stop words left out: how many, each once with a space between, and how often each occurs.
  length integer NOT NULL CHECK (length >= 0),
  terms text NOT NULL,
  frequencies text NOT NULL,
  PRIMARY KEY (user_id, document_id, generation, ordinal),
  FOREIGN KEY (user_id, document_id, generation)
    REFERENCES {{schema}}.passage_generations (user_id, document_id, generation) ON DELETE CASCADE
);

-- Where a term occurs in a block of a document's passages, a few hundred at most. Of each passage in one number: its ordinal
-- in the upper 32 bits, how often the term is in it in the next 16, and how many terms it has in all in the last.
CREATE TABLE {{schema}}.postings (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  -- The first passage of the block.
  block integer NOT NULL CHECK (block >= 0),
  term text COLLATE "C" NOT NULL,
  entries bigint[] NOT NULL CHECK (cardinality(entries) >= 1),
  PRIMARY KEY (user_id, document_id, generation, term, block)
);
-- A search within few documents reads by document, one within many by term.
CREATE INDEX postings_by_term ON {{schema}}.postings (user_id, term, document_id, generation);

-- What is in an owner's active generations: passages, terms in them, and the passages that have each term.
CREATE TABLE {{schema}}.index_statistics (
  user_id text COLLATE "C" NOT NULL,
  passages bigint NOT NULL CHECK (passages >= 0),
  terms bigint NOT NULL CHECK (terms >= 0),
  PRIMARY KEY (user_id)
) WITH (fillfactor = 50);

CREATE TABLE {{schema}}.term_statistics (
  user_id text COLLATE "C" NOT NULL,
  term text COLLATE "C" NOT NULL,
  passages bigint NOT NULL CHECK (passages >= 0),
  PRIMARY KEY (user_id, term)
) WITH (fillfactor = 80);

-- Counts a generation when it becomes active, and no more when it goes, whatever makes it go. The owner's row is locked
-- first, so that changes of one owner's documents take turns from here to their commit.
CREATE FUNCTION {{schema}}.count_generation() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  gained integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
  counted {{schema}}.passage_generations := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF gained > 0 THEN
    INSERT INTO {{schema}}.index_statistics AS s (user_id, passages, terms)
    VALUES (counted.user_id, counted.passages, counted.terms)
    ON CONFLICT (user_id) DO UPDATE SET passages = s.passages + excluded.passages, terms = s.terms + excluded.terms;
    INSERT INTO {{schema}}.term_statistics AS s (user_id, term, passages)
    SELECT counted.user_id, p.term, sum(cardinality(p.entries)) FROM {{schema}}.postings p
    WHERE p.user_id = counted.user_id AND p.document_id = counted.document_id AND p.generation = counted.generation
    GROUP BY p.term
    ON CONFLICT (user_id, term) DO UPDATE SET passages = s.passages + excluded.passages;
    RETURN NEW;
  END IF;
  UPDATE {{schema}}.index_statistics s SET passages = s.passages - counted.passages, terms = s.terms - counted.terms
  WHERE s.user_id = counted.user_id;
  UPDATE {{schema}}.term_statistics s SET passages = s.passages - g.passages
  FROM (
    SELECT p.term, sum(cardinality(p.entries)) AS passages FROM {{schema}}.postings p
    WHERE p.user_id = counted.user_id AND p.document_id = counted.document_id AND p.generation = counted.generation
    GROUP BY p.term
  ) g
  WHERE s.user_id = counted.user_id AND s.term = g.term;
  DELETE FROM {{schema}}.term_statistics s USING {{schema}}.postings p
  WHERE s.user_id = counted.user_id AND s.passages = 0 AND p.user_id = counted.user_id AND p.term = s.term
    AND p.document_id = counted.document_id AND p.generation = counted.generation;
  DELETE FROM {{schema}}.index_statistics s WHERE s.user_id = counted.user_id AND s.passages = 0;
  RETURN OLD;
END
$function$;
-- Postings go with their generation, whatever makes it go. A foreign key would do the same, and look the generation up for each
-- of the many rows of an indexing, which adds them under the lock of the generation's row.
CREATE FUNCTION {{schema}}.drop_postings() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM {{schema}}.postings p
  WHERE p.user_id = OLD.user_id AND p.document_id = OLD.document_id AND p.generation = OLD.generation;
  RETURN OLD;
END
$function$;
CREATE TRIGGER counted BEFORE UPDATE ON {{schema}}.passage_generations FOR EACH ROW
  WHEN (NEW.active AND NOT OLD.active AND NEW.passages > 0) EXECUTE FUNCTION {{schema}}.count_generation();
CREATE TRIGGER uncounted BEFORE DELETE ON {{schema}}.passage_generations FOR EACH ROW
  WHEN (OLD.active AND OLD.passages > 0) EXECUTE FUNCTION {{schema}}.count_generation();
-- Before the row goes, as whoever makes it go may: a trigger after a cascade runs as the person whose statement began it. After
-- the one above, by the order of their names, which counts what this one drops.
CREATE TRIGGER without_postings BEFORE DELETE ON {{schema}}.passage_generations FOR EACH ROW
  EXECUTE FUNCTION {{schema}}.drop_postings();

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

ALTER TABLE {{schema}}.index_statistics ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.index_statistics TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.index_statistics TO parley_service USING (true);

ALTER TABLE {{schema}}.term_statistics ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.term_statistics TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.term_statistics TO parley_service USING (true);

-- People search and read; only jobs index.
GRANT SELECT ON {{schema}}.passage_generations, {{schema}}.document_texts, {{schema}}.passages, {{schema}}.postings,
  {{schema}}.index_statistics, {{schema}}.term_statistics TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON {{schema}}.passage_generations, {{schema}}.document_texts, {{schema}}.passages, {{schema}}.postings,
  {{schema}}.index_statistics, {{schema}}.term_statistics TO parley_service;
