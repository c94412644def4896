-- Passages of documents and an inverted index over their terms, for ranking by BM25 with each owner's own statistics.

-- One indexing of one document. A new generation is built beside the one that is searched, and then takes its place.
CREATE TABLE {{schema}}.passage_generations (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL CHECK (generation >= 1),
  -- Only the active generation is searched and counted.
  active boolean NOT NULL,
  -- Identifies the text and the way of cutting it: an unfinished generation is continued only under the same
  -- fingerprint.
  fingerprint text NOT NULL CHECK (char_length(fingerprint) BETWEEN 1 AND 255),
  -- The language by whose rules the words are stemmed.
  language text NOT NULL CHECK (language ~ '^[a-z]{2,3}$'),
  -- UTF-16 offsets at which the pages of the text start; null if the document has no pages.
  page_starts integer[],
  -- Level, title and UTF-16 offset of each heading of the text, in order; null if it has none.
  headings jsonb CHECK (jsonb_typeof(headings) = 'array'),
  -- Number of passages written so far, and number of terms in them.
  passages integer NOT NULL CHECK (passages >= 0),
  terms bigint NOT NULL CHECK (terms >= 0),
  -- Number of lexemes in the postings, summed over the blocks.
  lexemes bigint NOT NULL DEFAULT 0 CHECK (lexemes >= 0),
  -- True if the owner's statistics include this generation. Each search adds the active generations that they do not
  -- include.
  counted boolean NOT NULL DEFAULT false CHECK (active OR NOT counted),
  PRIMARY KEY (user_id, document_id, generation),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX passage_generations_active ON {{schema}}.passage_generations (user_id, document_id)
  INCLUDE (generation, language) WHERE active;
CREATE INDEX passage_generations_uncounted ON {{schema}}.passage_generations (user_id) WHERE active AND NOT counted;

-- The text from which a generation was cut, in parts. A passage's text is the part of this text between its offsets.
CREATE TABLE {{schema}}.document_texts (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  -- From 0. The highest number times the size of a part bounds the size of a text.
  part integer NOT NULL CHECK (part BETWEEN 0 AND 255),
  -- Beginning and end of this part in the whole text, in UTF-16 units.
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
  -- From 1; null if the document has no pages.
  page integer CHECK (page >= 1),
  -- UTF-16 offsets into the document's text.
  start_offset integer NOT NULL CHECK (start_offset >= 0),
  end_offset integer NOT NULL CHECK (end_offset > start_offset),
  text text NOT NULL,
  -- The headings above the passage's start and those that begin in the passage; null if there are none.
  headings jsonb CHECK (jsonb_typeof(headings) = 'array'),
  -- The terms by which the passage is found, without stop words: their number, each distinct term once (separated by
  -- spaces), and the frequency of each.
  length integer NOT NULL CHECK (length >= 0),
  terms text NOT NULL,
  frequencies text NOT NULL,
  PRIMARY KEY (user_id, document_id, generation, ordinal),
  FOREIGN KEY (user_id, document_id, generation)
    REFERENCES {{schema}}.passage_generations (user_id, document_id, generation) ON DELETE CASCADE
);

-- The postings of a block of at most 128 passages of a document, divided into parts of a few kilobytes, so that a
-- search reads few rows and few unneeded terms. A block has 1, 2, 4 ... or 256 parts, numbered from their count on:
-- part = count + (first byte of the term's SHA-256) mod count. A term has one position for each passage that contains
-- it: the passage's place in the block times 128, plus the term's frequency there; 127 stands for 127 or more.
CREATE TABLE {{schema}}.postings (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  part integer NOT NULL CHECK (part BETWEEN 1 AND 511),
  -- The number of the first passage of the block, and the number of terms in each of its passages.
  block integer NOT NULL CHECK (block >= 0),
  lengths integer[] NOT NULL CHECK (cardinality(lengths) BETWEEN 1 AND 128),
  lexemes tsvector NOT NULL,
  -- The frequencies of 127 and more: by lexeme, then by the passage's place in the block. Null if there are none.
  frequent jsonb CHECK (jsonb_typeof(frequent) = 'object'),
  PRIMARY KEY (user_id, document_id, generation, part, block)
) WITH (toast_tuple_target = 8160);
-- Rows are stored in their page, uncompressed.
ALTER TABLE {{schema}}.postings ALTER COLUMN lengths SET STORAGE EXTERNAL, ALTER COLUMN lexemes SET STORAGE EXTERNAL;

-- Texts are compressed with LZ4 if the server was built with it: it takes a quarter of the processor time of the
-- server's own method.
DO $migration$
BEGIN
  ALTER TABLE {{schema}}.document_texts ALTER COLUMN text SET COMPRESSION lz4;
  ALTER TABLE {{schema}}.passages ALTER COLUMN text SET COMPRESSION lz4, ALTER COLUMN terms SET COMPRESSION lz4,
    ALTER COLUMN frequencies SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  RAISE NOTICE 'texts are compressed by pglz: this server was built without LZ4';
END
$migration$;

-- The form of a term in postings and statistics: the term itself, or its hash if it is too long for a lexeme. STABLE,
-- as "convert_to" is, so that Postgres can inline the function; a call for each term would take longer than the rest of
-- the statement.
CREATE FUNCTION {{schema}}.lexeme_of(term text) RETURNS text LANGUAGE sql STABLE
RETURN CASE WHEN octet_length(term) <= 1024 THEN term ELSE '#' || encode(sha256(convert_to(term, 'UTF8')), 'hex') END;

-- The numbers of the parts that can contain the lexemes, for each possible number of parts. Each connection plans this
-- statement once.
CREATE FUNCTION {{schema}}.parts_of(lexemes text[]) RETURNS integer[] LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT (1 << bits) + (get_byte(sha256(convert_to(lexeme, 'UTF8')), 0) & ((1 << bits) - 1))
    FROM unnest(lexemes) AS lexeme, generate_series(0, 8) AS bits ORDER BY 1
  );
END
$function$;

-- Returns those of the lexemes that are in "asked", with their positions.
CREATE FUNCTION {{schema}}.lexemes_among(lexemes tsvector, asked text[]) RETURNS tsvector LANGUAGE sql IMMUTABLE
RETURN ts_filter(setweight(lexemes, 'A', asked), '{a}');

-- Sums over an owner's counted generations: passages, terms, and the number of passages that contain each lexeme.
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

-- Counts the passages that contain each lexeme, over the given generations, with the server's own ts_stat.
CREATE FUNCTION {{schema}}.lexemes_in(owner text, documents uuid[], generations integer[])
RETURNS TABLE (lexeme text, passages bigint) LANGUAGE sql STABLE
AS $function$
SELECT word, nentry::bigint FROM ts_stat(format(
  'SELECT found.lexemes FROM unnest(%L::uuid[], %L::integer[]) AS g (document_id, generation), LATERAL (
    SELECT p.lexemes FROM %s.postings p
    WHERE p.user_id = %L AND p.document_id = g.document_id AND p.generation = g.generation OFFSET 0
  ) AS found', documents, generations, $schema${{schema}}$schema$, owner))
$function$;

-- Adds the owner's uncounted generations to the statistics, and returns their number. It skips generations that another
-- transaction has locked, and counts none if another transaction is counting: because it never waits, a transaction
-- that waits for it cannot deadlock.
CREATE FUNCTION {{schema}}.count_generations(owner text) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
DECLARE
  documents uuid[];
  generations integer[];
  more_passages bigint;
  more_terms bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM {{schema}}.index_statistics s WHERE s.user_id = owner) THEN
    INSERT INTO {{schema}}.index_statistics (user_id, passages, terms) VALUES (owner, 0, 0) ON CONFLICT DO NOTHING;
  END IF;
  PERFORM FROM {{schema}}.index_statistics s WHERE s.user_id = owner FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  WITH free AS MATERIALIZED (
    SELECT g.document_id, g.generation FROM {{schema}}.passage_generations g
    WHERE g.user_id = owner AND g.active AND NOT g.counted FOR NO KEY UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE {{schema}}.passage_generations g SET counted = true FROM free
    WHERE g.user_id = owner AND g.document_id = free.document_id AND g.generation = free.generation
    RETURNING g.document_id, g.generation, g.passages, g.terms
  )
  SELECT array_agg(t.document_id), array_agg(t.generation), sum(t.passages), sum(t.terms)
  INTO documents, generations, more_passages, more_terms FROM taken t;
  UPDATE {{schema}}.index_statistics s
  SET passages = s.passages + coalesce(more_passages, 0), terms = s.terms + coalesce(more_terms, 0) WHERE s.user_id = owner;
  INSERT INTO {{schema}}.term_statistics AS s (user_id, term, passages)
  SELECT owner, l.lexeme, l.passages FROM {{schema}}.lexemes_in(owner, documents, generations) AS l
  ON CONFLICT (user_id, term) DO UPDATE SET passages = s.passages + excluded.passages;
  DELETE FROM {{schema}}.index_statistics s WHERE s.user_id = owner AND s.passages = 0;
  RETURN coalesce(cardinality(documents), 0);
END
$function$;

-- Subtracts a generation from the statistics before it is deleted. The owner's row is locked first, so that changes of
-- one owner's statistics run one after another until they commit.
CREATE FUNCTION {{schema}}.uncount_generation() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
DECLARE
  none_left text[];
BEGIN
  UPDATE {{schema}}.index_statistics s SET passages = s.passages - OLD.passages, terms = s.terms - OLD.terms
  WHERE s.user_id = OLD.user_id;
  WITH lowered AS (
    UPDATE {{schema}}.term_statistics s SET passages = s.passages - l.passages
    FROM {{schema}}.lexemes_in(OLD.user_id, ARRAY[OLD.document_id], ARRAY[OLD.generation]) AS l
    WHERE s.user_id = OLD.user_id AND s.term = l.lexeme
    RETURNING s.term, s.passages
  )
  SELECT array_agg(term) INTO none_left FROM lowered WHERE passages = 0;
  DELETE FROM {{schema}}.term_statistics s WHERE s.user_id = OLD.user_id AND s.term = ANY(none_left);
  DELETE FROM {{schema}}.index_statistics s WHERE s.user_id = OLD.user_id AND s.passages = 0;
  RETURN OLD;
END
$function$;
-- Deletes the postings of a deleted generation. A foreign key would do the same, but it would look the generation up
-- for each row of an indexing, which already holds the lock of the generation's row.
CREATE FUNCTION {{schema}}.drop_postings() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM {{schema}}.postings p
  WHERE p.user_id = OLD.user_id AND p.document_id = OLD.document_id AND p.generation = OLD.generation;
  RETURN OLD;
END
$function$;
CREATE TRIGGER uncounted BEFORE DELETE ON {{schema}}.passage_generations FOR EACH ROW
  WHEN (OLD.counted) EXECUTE FUNCTION {{schema}}.uncount_generation();
-- Runs before the deletion of the row, with the rights of the role that deletes it: a trigger after a cascade runs as
-- the person whose statement began it. Triggers run in the order of their names, so this one runs after "uncounted",
-- which counts the postings that this one deletes.
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

