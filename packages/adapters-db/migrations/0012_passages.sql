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
  -- How many lexemes its postings have, those of each block by themselves.
  lexemes bigint NOT NULL DEFAULT 0 CHECK (lexemes >= 0),
  -- Whether the owner's statistics have it. What is active and not counted is added by each search.
  counted boolean NOT NULL DEFAULT false CHECK (active OR NOT counted),
  PRIMARY KEY (user_id, document_id, generation),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX passage_generations_active ON {{schema}}.passage_generations (user_id, document_id)
  INCLUDE (generation, language) WHERE active;
CREATE INDEX passage_generations_uncounted ON {{schema}}.passage_generations (user_id) WHERE active AND NOT counted;

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

-- Where terms occur in a block of a document's passages, 128 at most, in parts of a few kilobytes: a search reads few rows, and of
-- each what it asks for. A block is in 1, 2, 4 ... or 256 parts, numbered from that number on; a term is in the part whose
-- number is that of the parts and what the first byte of the term's SHA-256 leaves, divided by it. A term has a position for each
-- passage it is in: the passage's place in the block times 128, and how often it is in it, 127 standing for 127 and more.
CREATE TABLE {{schema}}.postings (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  generation integer NOT NULL,
  part integer NOT NULL CHECK (part BETWEEN 1 AND 511),
  -- The first passage of the block, and how many terms each of its passages has.
  block integer NOT NULL CHECK (block >= 0),
  lengths integer[] NOT NULL CHECK (cardinality(lengths) BETWEEN 1 AND 128),
  lexemes tsvector NOT NULL,
  -- How often the terms are in a passage that are so 127 times or more: by lexeme, then by place. Null where none is.
  frequent jsonb CHECK (jsonb_typeof(frequent) = 'object'),
  PRIMARY KEY (user_id, document_id, generation, part, block)
) WITH (toast_tuple_target = 8160);
-- A row stays in its page, as it is.
ALTER TABLE {{schema}}.postings ALTER COLUMN lengths SET STORAGE EXTERNAL, ALTER COLUMN lexemes SET STORAGE EXTERNAL;

-- Texts are compressed by LZ4 where the server was built with it, in a quarter of the processor time of its own way.
DO $migration$
BEGIN
  ALTER TABLE {{schema}}.document_texts ALTER COLUMN text SET COMPRESSION lz4;
  ALTER TABLE {{schema}}.passages ALTER COLUMN text SET COMPRESSION lz4, ALTER COLUMN terms SET COMPRESSION lz4,
    ALTER COLUMN frequencies SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  RAISE NOTICE 'texts are compressed by pglz: this server was built without LZ4';
END
$migration$;

-- What a term is in postings and statistics: itself, or the hash of one that is too long for a lexeme. STABLE, as "convert_to" is:
-- only so is it a part of the statement that calls it, where a call of each term by itself takes longer than all else.
CREATE FUNCTION {{schema}}.lexeme_of(term text) RETURNS text LANGUAGE sql STABLE
RETURN CASE WHEN octet_length(term) <= 1024 THEN term ELSE '#' || encode(sha256(convert_to(term, 'UTF8')), 'hex') END;

-- The parts that lexemes are in, in however many parts a block may be. Planned once a connection.
CREATE FUNCTION {{schema}}.parts_of(lexemes text[]) RETURNS integer[] LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT (1 << bits) + (get_byte(sha256(convert_to(lexeme, 'UTF8')), 0) & ((1 << bits) - 1))
    FROM unnest(lexemes) AS lexeme, generate_series(0, 8) AS bits ORDER BY 1
  );
END
$function$;

-- Of lexemes those asked for, with their positions.
CREATE FUNCTION {{schema}}.lexemes_among(lexemes tsvector, asked text[]) RETURNS tsvector LANGUAGE sql IMMUTABLE
RETURN ts_filter(setweight(lexemes, 'A', asked), '{a}');

-- What is in an owner's generations that are counted: passages, terms in them, and the passages that have each lexeme.
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

-- In how many passages of generations each of their lexemes is, as the server itself counts positions in texts.
CREATE FUNCTION {{schema}}.lexemes_in(owner text, documents uuid[], generations integer[])
RETURNS TABLE (lexeme text, passages bigint) LANGUAGE sql STABLE
AS $function$
SELECT word, nentry::bigint FROM ts_stat(format(
  'SELECT found.lexemes FROM unnest(%L::uuid[], %L::integer[]) AS g (document_id, generation), LATERAL (
    SELECT p.lexemes FROM %s.postings p
    WHERE p.user_id = %L AND p.document_id = g.document_id AND p.generation = g.generation OFFSET 0
  ) AS found', documents, generations, $schema${{schema}}$schema$, owner))
$function$;

-- Adds the owner's generations that are not counted to the statistics; gives how many. None of those whose rows somebody else has
-- locked, and none at all where somebody else is at it: who waits for nobody can be waited for.
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

-- Counts a generation no more when it goes, whatever makes it go. The owner's row is locked first, so that changes of one owner's
-- statistics take turns from here to their commit.
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
-- Postings go with their generation, whatever makes it go. A foreign key would do the same, and look the generation up for each
-- of the rows of an indexing, which adds them under the lock of the generation's row.
CREATE FUNCTION {{schema}}.drop_postings() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM {{schema}}.postings p
  WHERE p.user_id = OLD.user_id AND p.document_id = OLD.document_id AND p.generation = OLD.generation;
  RETURN OLD;
END
$function$;
CREATE TRIGGER uncounted BEFORE DELETE ON {{schema}}.passage_generations FOR EACH ROW
  WHEN (OLD.counted) EXECUTE FUNCTION {{schema}}.uncount_generation();
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
