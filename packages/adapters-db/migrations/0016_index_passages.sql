-- Functions that index documents. Each connection plans their statements once, and each step is one round trip. Rows
-- are passed as arrays, one for each column. Plans stay in use while tables grow, so sequential scans are turned off.

-- Adds a document if its owner's quota has room for it. Returns the owner's totals before it, and whether the document
-- was added. Insertions of one owner run one after another, so that each counts those before it. The insertion names
-- its columns, so that this release still works after a later one adds a column.
CREATE FUNCTION {{schema}}.insert_document(
  owner text, document uuid, filename text, type text, size bigint, status text, progress float8, reason text, reason_code text,
  pages integer, passages integer, created_at timestamptz, max_documents bigint, max_bytes bigint,
  OUT documents bigint, OUT bytes bigint, OUT failed bigint, OUT inserted boolean, OUT known boolean
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
DECLARE
  stored bigint;
  stored_bytes bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('{{schema}} documents ' || owner, 7221));
  SELECT count(*) FILTER (WHERE d.id <> document AND d.status <> 'failed'),
    coalesce(sum(d.bytes) FILTER (WHERE d.id <> document AND d.status <> 'failed'), 0)::bigint,
    count(*) FILTER (WHERE d.status = 'failed'),
    count(*) FILTER (WHERE d.id <> document),
    coalesce(sum(d.bytes) FILTER (WHERE d.id <> document), 0)::bigint
  INTO documents, bytes, failed, stored, stored_bytes
  FROM {{schema}}.documents d WHERE d.user_id = owner;
  -- Failed documents do not count towards the quota. Their bytes are stored nevertheless, so they are limited to the
  -- same amount again.
  inserted := documents + 1 <= max_documents AND bytes + size <= max_bytes
    AND stored + 1 <= 2 * max_documents AND stored_bytes + size <= 2 * max_bytes;
  known := false;
  IF inserted THEN
    INSERT INTO {{schema}}.documents AS d
      (user_id, id, filename, type, bytes, status, progress, reason, reason_code, pages, passages, created_at)
    VALUES (owner, document, filename, type, size, status, progress, reason, reason_code, pages, passages, created_at)
    ON CONFLICT ON CONSTRAINT documents_pkey DO UPDATE
      SET status = EXCLUDED.status, progress = EXCLUDED.progress, reason = EXCLUDED.reason, reason_code = EXCLUDED.reason_code,
        pages = EXCLUDED.pages, passages = EXCLUDED.passages
      WHERE d.status = 'failed';
    known := NOT FOUND;
  END IF;
END
$function$;

-- Finds the unfinished generation with this fingerprint and sets its parser to the given one; or begins a new
-- generation in place of any other unfinished one, with the first part of its text (the whole text of most documents).
-- Returns no row if the owner has no such document. Calls for one document run one after another.
CREATE FUNCTION {{schema}}.begin_generation(
  owner text, document uuid, fingerprint text, page_starts integer[], headings jsonb, language text, parser text, version integer,
  embedder text, part_end integer, part_text text
) RETURNS TABLE (generation integer, passages integer, begun boolean) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
#variable_conflict use_column
DECLARE
  next integer;
BEGIN
  PERFORM FROM {{schema}}.documents d WHERE d.user_id = owner AND d.id = document FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY
  UPDATE {{schema}}.passage_generations g SET parser = begin_generation.parser
  WHERE g.user_id = owner AND g.document_id = document AND NOT g.active AND g.fingerprint = begin_generation.fingerprint
  RETURNING g.generation, g.passages, false;
  IF FOUND THEN
    RETURN;
  END IF;
  DELETE FROM {{schema}}.passage_generations g WHERE g.user_id = owner AND g.document_id = document AND NOT g.active;
  UPDATE {{schema}}.documents d SET generations = d.generations + 1 WHERE d.user_id = owner AND d.id = document
  RETURNING d.generations INTO next;
  INSERT INTO {{schema}}.passage_generations
    (user_id, document_id, generation, active, fingerprint, page_starts, headings, language, parser, version, embedder,
      passages, terms)
  VALUES (owner, document, next, false, begin_generation.fingerprint, begin_generation.page_starts, begin_generation.headings,
    begin_generation.language, begin_generation.parser, begin_generation.version, begin_generation.embedder, 0, 0);
  IF part_text IS NOT NULL THEN
    INSERT INTO {{schema}}.document_texts (user_id, document_id, generation, part, start_offset, end_offset, text)
    VALUES (owner, document, next, 0, 0, part_end, part_text);
  END IF;
  RETURN QUERY SELECT next, 0, true;
END
$function$;

-- Copies the embeddings of equal texts of the owner, by the same model, to passages. Returns the generation's number of
-- passages, and the given passages that still lack an embedding. Returns no row if the generation was deleted.
CREATE FUNCTION {{schema}}.reuse_embeddings(
  owner text, document uuid, number integer, asked_model text, ordinals integer[], hashes text[]
) RETURNS TABLE (passages integer, language text, wanting integer[]) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
#variable_conflict use_column
DECLARE
  there integer;
  spoken text;
BEGIN
  SELECT g.passages, g.language INTO there, spoken FROM {{schema}}.passage_generations g
  WHERE g.user_id = owner AND g.document_id = document AND g.generation = number;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO {{schema}}.passage_embeddings (user_id, document_id, generation, model, ordinal, content_hash, embedding)
  SELECT owner, document, number, asked_model, ordinal, decode(hash, 'hex'), embedding
  FROM unnest(ordinals, hashes) AS wanted (ordinal, hash), LATERAL (
    SELECT e.embedding FROM {{schema}}.passage_embeddings e
    WHERE e.user_id = owner AND e.content_hash = decode(wanted.hash, 'hex') AND e.model = asked_model LIMIT 1
  ) AS known
  WHERE ordinal >= there
  ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT there, spoken, ARRAY(
    SELECT given.ordinal FROM unnest(ordinals) AS given (ordinal), LATERAL (
      SELECT count(*) AS kept FROM {{schema}}.passage_embeddings e
      WHERE e.user_id = owner AND e.document_id = document AND e.generation = number AND e.ordinal = given.ordinal OFFSET 0
    ) AS found
    WHERE given.ordinal >= there AND kept = 0
  );
END
$function$;

-- Writes a block of passages with its postings (one row for each of "parts") and the embeddings of some of them, which
-- are concatenated in "vectors". The caller has locked the generation's row.
CREATE FUNCTION {{schema}}.write_block(
  owner text, document uuid, number integer, first integer, pages integer[], starts integer[], ends integer[], texts text[],
  headings text[], lengths integer[], terms text[], frequencies text[], parts integer[], lexemes text[], frequent text[],
  asked_model text, embedded integer[], hashes text[], vectors real[]
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
#variable_conflict use_column
BEGIN
  IF cardinality(embedded) > 0 THEN
    -- Materialized, so that the array is one plain value from which each row takes its slice.
    WITH given AS MATERIALIZED (SELECT vectors AS numbers, cardinality(vectors) / cardinality(embedded) AS dimensions)
    INSERT INTO {{schema}}.passage_embeddings (user_id, document_id, generation, model, ordinal, content_hash, embedding)
    SELECT owner, document, number, asked_model, e.ordinal, decode(e.hash, 'hex'),
      numbers[(e.place - 1) * dimensions + 1:e.place * dimensions]
    FROM given, unnest(embedded, hashes) WITH ORDINALITY AS e (ordinal, hash, place)
    ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO {{schema}}.passages
    (user_id, document_id, generation, ordinal, page, start_offset, end_offset, text, headings, length, terms, frequencies)
  SELECT owner, document, number, first + p.place - 1, p.page, p.starts_at, p.ends_at, p.text, p.headings::jsonb, p.length, p.terms,
    p.frequencies
  FROM unnest(pages, starts, ends, texts, headings, lengths, terms, frequencies) WITH ORDINALITY
    AS p (page, starts_at, ends_at, text, headings, length, terms, frequencies, place);
  INSERT INTO {{schema}}.postings (user_id, document_id, generation, part, block, lengths, lexemes, frequent)
  SELECT owner, document, number, p.part, first, write_block.lengths, p.lexemes::tsvector, p.frequent::jsonb
  FROM unnest(parts, write_block.lexemes, write_block.frequent) AS p (part, lexemes, frequent);
END
$function$;

-- Adds a block to the generation from passage "first" on; its postings contain "lexeme_count" lexemes. Writes only if
-- the generation has exactly "first" passages and is not searched; otherwise "written" is false. The row stays locked,
-- so that no other call adds to the generation until the transaction ends. Returns no row if the generation was
-- deleted. Unless "durable", the commit does not wait for the disk: if a crash of the server loses blocks of a
-- generation that is not searched yet, the next try writes them again, and any later durable commit makes them durable
-- too.
CREATE FUNCTION {{schema}}.add_passages(
  owner text, document uuid, number integer, first integer, pages integer[], starts integer[], ends integer[], texts text[],
  headings text[], lengths integer[], terms text[], frequencies text[],
  parts integer[], lexemes text[], frequent text[], lexeme_count integer,
  asked_model text, embedded integer[], hashes text[], vectors real[], durable boolean
) RETURNS TABLE (passages integer, active boolean, written boolean) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
#variable_conflict use_column
DECLARE
  there integer;
  searched boolean;
BEGIN
  SELECT g.passages, g.active INTO there, searched FROM {{schema}}.passage_generations g
  WHERE g.user_id = owner AND g.document_id = document AND g.generation = number FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF searched OR there <> first THEN
    RETURN QUERY SELECT there, searched, false;
    RETURN;
  END IF;
  IF NOT durable THEN
    PERFORM pg_catalog.set_config('synchronous_commit', 'off', true);
  END IF;
  PERFORM {{schema}}.write_block(owner, document, number, first, pages, starts, ends, texts, headings, lengths, terms, frequencies,
    parts, lexemes, frequent, asked_model, embedded, hashes, vectors);
  UPDATE {{schema}}.passage_generations g
  SET passages = there + cardinality(lengths), terms = g.terms + (SELECT coalesce(sum(l), 0) FROM unnest(lengths) AS l),
    lexemes = g.lexemes + lexeme_count
  WHERE g.user_id = owner AND g.document_id = document AND g.generation = number;
  RETURN QUERY SELECT there + cardinality(lengths), false, true;
END
$function$;

-- Adds uncounted generations to the statistics if they have become so many that searches would slow down.
CREATE FUNCTION {{schema}}.count_if_many(owner text) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
BEGIN
  IF (SELECT sum(g.lexemes + 256) FROM {{schema}}.passage_generations g WHERE g.user_id = owner AND g.active AND NOT g.counted)
    > 16384 THEN
    PERFORM {{schema}}.count_generations(owner);
  END IF;
END
$function$;

-- Makes the generation the searched one, in place of earlier ones; returns false if it was deleted. May be repeated.
CREATE FUNCTION {{schema}}.activate_generation(owner text, document uuid, number integer) RETURNS boolean LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
DECLARE
  searched boolean;
BEGIN
  PERFORM FROM {{schema}}.documents d WHERE d.user_id = owner AND d.id = document FOR NO KEY UPDATE;
  SELECT g.active INTO searched FROM {{schema}}.passage_generations g
  WHERE g.user_id = owner AND g.document_id = document AND g.generation = number FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF NOT searched THEN
    DELETE FROM {{schema}}.passage_generations g WHERE g.user_id = owner AND g.document_id = document AND g.generation < number;
    UPDATE {{schema}}.passage_generations g SET active = true, activated_at = clock_timestamp()
    WHERE g.user_id = owner AND g.document_id = document AND g.generation = number;
    PERFORM {{schema}}.count_if_many(owner);
  END IF;
  RETURN true;
END
$function$;

-- Indexes a document of one block in one call, and replaces all its generations, searched or unfinished. Returns false
-- if the owner has no such document.
CREATE FUNCTION {{schema}}.put_document(
  owner text, document uuid, fingerprint text, page_starts integer[], headings jsonb, language text, parser text, version integer,
  embedder text, part_end integer, part_text text,
  first integer, pages integer[], starts integer[], ends integer[], texts text[], passage_headings text[], lengths integer[],
  terms text[], frequencies text[], parts integer[], lexemes text[], frequent text[], lexeme_count integer,
  asked_model text, embedded integer[], hashes text[], vectors real[]
) RETURNS boolean LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
DECLARE
  number integer;
BEGIN
  UPDATE {{schema}}.documents d SET generations = d.generations + 1 WHERE d.user_id = owner AND d.id = document
  RETURNING d.generations INTO number;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM {{schema}}.passage_generations g WHERE g.user_id = owner AND g.document_id = document;
  INSERT INTO {{schema}}.passage_generations
    (user_id, document_id, generation, active, fingerprint, page_starts, headings, language, parser, version, embedder,
      passages, terms, lexemes, activated_at)
  VALUES (owner, document, number, true, fingerprint, page_starts, headings, language, parser, version, embedder,
    cardinality(lengths), (SELECT coalesce(sum(l), 0) FROM unnest(lengths) AS l), lexeme_count, clock_timestamp());
  IF part_text IS NOT NULL THEN
    INSERT INTO {{schema}}.document_texts (user_id, document_id, generation, part, start_offset, end_offset, text)
    VALUES (owner, document, number, 0, 0, part_end, part_text);
  END IF;
  PERFORM {{schema}}.write_block(owner, document, number, first, pages, starts, ends, texts, passage_headings, lengths, terms,
    frequencies, parts, lexemes, frequent, asked_model, embedded, hashes, vectors);
  PERFORM {{schema}}.count_if_many(owner);
  RETURN true;
END
$function$;
