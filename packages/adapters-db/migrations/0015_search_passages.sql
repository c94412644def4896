-- Searches among passages. They are functions so that each connection plans them once: planning took longer than
-- searching. They run with the caller's rights (for a person, under row-level security), and also filter by the owner.
-- Plans stay in use while tables grow: each look-up ends in OFFSET 0, which makes it one scan of its index, whatever
-- statistics the planner has.

-- Postgres' text search configuration for each language of a document, among those that every Postgres 17 has. English
-- stands in for a language that this version does not know.
CREATE FUNCTION {{schema}}.text_configuration(language text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE language
  WHEN 'ar' THEN 'pg_catalog.arabic' WHEN 'ca' THEN 'pg_catalog.catalan' WHEN 'da' THEN 'pg_catalog.danish'
  WHEN 'de' THEN 'pg_catalog.german' WHEN 'el' THEN 'pg_catalog.greek' WHEN 'es' THEN 'pg_catalog.spanish'
  WHEN 'eu' THEN 'pg_catalog.basque' WHEN 'fi' THEN 'pg_catalog.finnish' WHEN 'fr' THEN 'pg_catalog.french'
  WHEN 'ga' THEN 'pg_catalog.irish' WHEN 'hi' THEN 'pg_catalog.hindi' WHEN 'hu' THEN 'pg_catalog.hungarian'
  WHEN 'hy' THEN 'pg_catalog.armenian' WHEN 'id' THEN 'pg_catalog.indonesian' WHEN 'it' THEN 'pg_catalog.italian'
  WHEN 'lt' THEN 'pg_catalog.lithuanian' WHEN 'nl' THEN 'pg_catalog.dutch' WHEN 'no' THEN 'pg_catalog.norwegian'
  WHEN 'pt' THEN 'pg_catalog.portuguese' WHEN 'ro' THEN 'pg_catalog.romanian' WHEN 'ru' THEN 'pg_catalog.russian'
  WHEN 'sr' THEN 'pg_catalog.serbian' WHEN 'sv' THEN 'pg_catalog.swedish' WHEN 'ta' THEN 'pg_catalog.tamil'
  WHEN 'tr' THEN 'pg_catalog.turkish' ELSE 'pg_catalog.english'
END;

-- A stem without diacritical marks, by the rules of "foldedTerm" in the core.
CREATE FUNCTION {{schema}}.folded_term(stem text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN octet_length(stem) = length(stem) THEN stem
  ELSE normalize(replace(replace(replace(translate(
    regexp_replace(normalize(stem, NFD), '[\u0300-\u036f]+', '', 'g'), 'øđłı', 'odli'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), NFC) END;

-- BM25 by the formula of "scoreTerm" in the core, in the languages of the named documents. Returns at most "wanted"
-- passages, best first. "searched" is the question; "accented" are its words with accents and "unmarked" the same words
-- without; "plain_mark" is the prefix of the terms by which words without accents are found; "k1" and "b" are the
-- constants of BM25. The first "candidates" passages come with their terms for relevance feedback; the first "compared"
-- also with the number of the owner's passages that contain each term. Scores are summed as whole billionths, which
-- double precision adds exactly: equal passages have equal scores, whatever the order in which their terms are added.
CREATE FUNCTION {{schema}}.passages_by_words(
  owner text, named uuid[], searched text, wanted integer, accented text[], unmarked text[], plain_mark text,
  k1 float8, b float8, candidates integer, compared integer
) RETURNS TABLE (
  document_id uuid, filename text, ordinal integer, page integer, start_offset integer, end_offset integer, text text,
  headings jsonb, score float8, length integer, terms text, frequencies text, passages_with text, occurrences integer,
  passages float8, average_length float8
) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
#variable_conflict use_column
DECLARE
  asked_terms text[];
  asked_weights float8[];
  asked_parts integer[];
  asked_occurrences integer;
  all_passages float8;
  average float8;
  uncounted_documents uuid[];
  uncounted_generations integer[];
BEGIN
  -- The weight of each term that any of the owner's passages contains. If there is none, the search ends here.
  WITH generations AS MATERIALIZED (
    SELECT document_id, generation, language FROM {{schema}}.passage_generations
    WHERE user_id = owner AND active AND document_id = ANY(named)
  ), stemmed AS MATERIALIZED (
    SELECT language, {{schema}}.folded_term(lexeme) AS term, sum(cardinality(positions)) AS occurrences
    FROM (SELECT DISTINCT language FROM generations) AS languages,
      unnest(to_tsvector({{schema}}.text_configuration(language)::regconfig, searched))
    GROUP BY 1, 2
  ), unaccented AS MATERIALIZED (
    SELECT language, {{schema}}.folded_term(plain_lexeme) AS term, count(*) AS occurrences
    FROM (SELECT DISTINCT language FROM generations) AS languages, unnest(accented, unmarked) AS given (word, plain),
      LATERAL (SELECT array_agg({{schema}}.folded_term(lexeme)) AS own
        FROM unnest(to_tsvector({{schema}}.text_configuration(language)::regconfig, word))) AS o,
      LATERAL (SELECT lexeme AS plain_lexeme
        FROM unnest(to_tsvector({{schema}}.text_configuration(language)::regconfig, plain))) AS p
    WHERE {{schema}}.folded_term(plain_lexeme) <> ALL(own)
    GROUP BY 1, 2
  ), query AS MATERIALIZED (
    SELECT {{schema}}.lexeme_of(term) AS term, max(occurrences) AS occurrences FROM (
      SELECT term, occurrences FROM stemmed
      UNION ALL SELECT plain_mark || term, occurrences FROM stemmed
      UNION ALL SELECT term, occurrences FROM unaccented
    ) AS each GROUP BY 1
  ), uncounted AS MATERIALIZED (
    SELECT document_id, generation, passages, terms FROM {{schema}}.passage_generations
    WHERE user_id = owner AND active AND NOT counted
  ), corpus AS MATERIALIZED (
    SELECT sum(passages)::float8 AS passages, sum(terms)::float8 / nullif(sum(passages), 0) AS average_length FROM (
      SELECT passages, terms FROM {{schema}}.index_statistics WHERE user_id = owner
      UNION ALL SELECT passages, terms FROM uncounted
    ) AS each
  ), asked AS MATERIALIZED (
    SELECT array_agg(term) AS terms, {{schema}}.parts_of(array_agg(term)) AS parts FROM query
    WHERE EXISTS (SELECT FROM uncounted)
  ), known AS MATERIALIZED (
    SELECT term, sum(passages)::float8 AS passages FROM (
      SELECT term, passages FROM query, LATERAL (
        SELECT passages FROM {{schema}}.term_statistics WHERE user_id = owner AND term_statistics.term = query.term OFFSET 0
      ) AS s
      UNION ALL SELECT lexeme, cardinality(positions) FROM uncounted, asked, LATERAL (
        SELECT lexemes FROM {{schema}}.postings WHERE user_id = owner AND postings.document_id = uncounted.document_id
          AND postings.generation = uncounted.generation AND part = ANY(asked.parts) OFFSET 0
      ) AS found, unnest({{schema}}.lexemes_among(lexemes, asked.terms))
    ) AS each GROUP BY term
  )
  SELECT array_agg(term),
    array_agg(occurrences * ln(1 + (corpus.passages - known.passages + 0.5) / (known.passages + 0.5))),
    (SELECT max(sum)::integer FROM (SELECT sum(occurrences) FROM stemmed GROUP BY language) AS each),
    min(corpus.passages), min(average_length),
    (SELECT array_agg(document_id) FROM uncounted), (SELECT array_agg(generation) FROM uncounted)
  INTO asked_terms, asked_weights, asked_occurrences, all_passages, average, uncounted_documents, uncounted_generations
  FROM corpus, query JOIN known USING (term);
  IF asked_terms IS NULL THEN
    RETURN;
  END IF;
  asked_parts := {{schema}}.parts_of(asked_terms);
  RETURN QUERY
  WITH generations AS MATERIALIZED (
    SELECT document_id, generation FROM {{schema}}.passage_generations
    WHERE user_id = owner AND active AND document_id = ANY(named)
  ), weighted AS MATERIALIZED (
    SELECT * FROM unnest(asked_terms, asked_weights) AS given (term, weight)
  ), uncounted AS MATERIALIZED (
    SELECT * FROM unnest(uncounted_documents, uncounted_generations) AS given (document_id, generation)
  ), posted AS (
    SELECT document_id, generation, block + (spot >> 7) AS ordinal, lengths[(spot >> 7) + 1] AS length, lexeme,
      CASE WHEN spot & 127 = 127 THEN (frequent -> lexeme ->> (spot >> 7)::text)::integer ELSE spot & 127 END AS frequency
    FROM generations, LATERAL (
      SELECT block, lengths, lexemes, frequent FROM {{schema}}.postings
      WHERE user_id = owner AND postings.document_id = generations.document_id
        AND postings.generation = generations.generation AND part = ANY(asked_parts) OFFSET 0
    ) AS found, unnest({{schema}}.lexemes_among(lexemes, asked_terms)), unnest(positions) AS spot
  ), scored AS MATERIALIZED (
    SELECT document_id, generation, ordinal, sum(round(1000000000::float8 * weight * frequency /
      (frequency + k1 * (1 - b + b * length / average)))) AS score
    FROM posted JOIN weighted ON term = lexeme
    GROUP BY document_id, generation, ordinal
    ORDER BY score DESC, document_id, ordinal LIMIT wanted
  ), ranked AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY score DESC, document_id, ordinal) AS rank
    FROM scored, LATERAL (
      SELECT page, start_offset, end_offset, text, headings, length, terms, frequencies
      FROM {{schema}}.passages WHERE user_id = owner AND passages.document_id = scored.document_id
        AND passages.generation = scored.generation AND passages.ordinal = scored.ordinal OFFSET 0
    ) AS p
  ), words AS MATERIALIZED (
    SELECT rank, place, {{schema}}.lexeme_of(word) AS word
    FROM ranked, string_to_table(ranked.terms, ' ') WITH ORDINALITY AS each (word, place)
    WHERE rank <= compared
  ), expected AS MATERIALIZED (
    SELECT array_agg(DISTINCT word) AS terms FROM words WHERE uncounted_documents IS NOT NULL
  ), compared_with AS (
    SELECT word, sum(passages) AS passages FROM (
      SELECT word, passages FROM (SELECT DISTINCT word FROM words) AS each, LATERAL (
        SELECT passages FROM {{schema}}.term_statistics WHERE user_id = owner AND term_statistics.term = each.word OFFSET 0
      ) AS s
      UNION ALL SELECT lexeme, cardinality(positions) FROM uncounted, expected, LATERAL (
        SELECT lexemes FROM {{schema}}.postings WHERE user_id = owner AND postings.document_id = uncounted.document_id
          AND postings.generation = uncounted.generation OFFSET 0
      ) AS found, unnest({{schema}}.lexemes_among(lexemes, expected.terms))
    ) AS each GROUP BY word
  ), compared_words AS (
    SELECT rank, string_agg(coalesce(passages, 0)::text, ' ' ORDER BY place) AS passages_with
    FROM words LEFT JOIN compared_with USING (word) GROUP BY rank
  )
  SELECT ranked.document_id, d.filename, ranked.ordinal, ranked.page, ranked.start_offset, ranked.end_offset, ranked.text,
    ranked.headings, ranked.score / 1000000000::float8, ranked.length,
    CASE WHEN rank <= candidates THEN ranked.terms END, CASE WHEN rank <= candidates THEN ranked.frequencies END, passages_with,
    asked_occurrences, all_passages, average
  FROM ranked LEFT JOIN compared_words USING (rank), LATERAL (
    SELECT filename FROM {{schema}}.documents WHERE user_id = owner AND id = ranked.document_id OFFSET 0
  ) AS d
  ORDER BY rank;
END
$function$;

-- The "nearest" passages to an embedding by cosine similarity, and the similarity of the passages that
-- "beside_documents" and "beside_ordinals" name. All embeddings of the named documents are compared exactly, because an
-- approximate index would silently miss most passages of a small selection. If the documents have more than
-- "exact_within" passages and the model has an index, only the passages that the index finds are compared
-- ("near_by_index"). Only the first "shown" passages beyond those named beside come with their texts, since the caller
-- shows no more. Each row has the mean and the standard deviation of the similarity over all compared passages.
-- "extension" is the schema of pgvector, quoted: a server may have it in any schema, and may get it later.
CREATE FUNCTION {{schema}}.passages_by_meaning(
  owner text, named uuid[], asked real[], asked_model text, nearest integer, shown integer,
  beside_documents uuid[], beside_ordinals integer[], extension text, exact_within integer
) RETURNS TABLE (
  document_id uuid, filename text, ordinal integer, page integer, start_offset integer, end_offset integer, text text,
  headings jsonb, similarity float8, average_similarity float8, deviation float8
) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
  found_documents uuid[];
  found_ordinals integer[];
BEGIN
  PERFORM set_config('search_path', 'pg_catalog, ' || extension || ', pg_temp', true);
  IF {{schema}}.vector_index_serves(owner, named, asked_model, exact_within) THEN
    SELECT array_agg(found.document_id), array_agg(found.ordinal) INTO found_documents, found_ordinals
    FROM {{schema}}.near_by_index(owner, named, asked, asked_model, nearest, extension) AS found;
    -- The scan ended before it found "nearest" passages: compare all of them.
    IF cardinality(found_documents) < nearest THEN
      found_documents := NULL;
    END IF;
  END IF;
  RETURN QUERY
  WITH generations AS MATERIALIZED (
    SELECT document_id, generation FROM {{schema}}.passage_generations
    WHERE user_id = owner AND active AND document_id = ANY(named)
  ), beside AS MATERIALIZED (
    SELECT * FROM unnest(beside_documents, beside_ordinals) AS given (document_id, ordinal)
  ), question AS MATERIALIZED (
    -- Cast once, not for each compared passage.
    SELECT asked::vector AS place
  ), near AS MATERIALIZED (
    SELECT document_id, generation, ordinal, 1 - (embedding::vector <=> (SELECT place FROM question)) AS similarity
    FROM generations, LATERAL (
      SELECT ordinal, embedding FROM {{schema}}.passage_embeddings
      WHERE user_id = owner AND passage_embeddings.document_id = generations.document_id
        AND passage_embeddings.generation = generations.generation AND model = asked_model OFFSET 0
    ) AS found
    WHERE found_documents IS NULL
    UNION ALL
    SELECT document_id, generation, ordinal, 1 - (embedding::vector <=> (SELECT place FROM question)) AS similarity
    FROM (
      SELECT * FROM unnest(found_documents, found_ordinals) AS given (document_id, ordinal) UNION SELECT * FROM beside
    ) AS places, LATERAL (
      SELECT generation FROM {{schema}}.passage_generations
      WHERE user_id = owner AND active AND passage_generations.document_id = places.document_id OFFSET 0
    ) AS current, LATERAL (
      SELECT embedding FROM {{schema}}.passage_embeddings
      WHERE user_id = owner AND passage_embeddings.document_id = places.document_id
        AND passage_embeddings.generation = current.generation AND passage_embeddings.ordinal = places.ordinal
        AND model = asked_model OFFSET 0
    ) AS found
    WHERE found_documents IS NOT NULL
  ), crowd AS MATERIALIZED (
    SELECT avg(similarity) AS average_similarity, stddev_pop(similarity) AS deviation FROM near WHERE similarity <> 'NaN'
  ), chosen AS (
    SELECT best.*, beside.document_id IS NOT NULL AS known
    FROM (SELECT * FROM near ORDER BY similarity DESC, document_id, ordinal LIMIT nearest) AS best
    LEFT JOIN beside USING (document_id, ordinal)
    UNION SELECT near.*, true FROM near JOIN beside USING (document_id, ordinal)
  ), placed AS (
    SELECT *, row_number() OVER (PARTITION BY known ORDER BY similarity DESC, document_id, ordinal) AS place FROM chosen
  )
  SELECT placed.document_id, d.filename, placed.ordinal, p.page, p.start_offset, p.end_offset, p.text, p.headings, similarity,
    crowd.average_similarity, crowd.deviation
  FROM crowd, placed LEFT JOIN LATERAL (
    SELECT page, start_offset, end_offset, text, headings FROM {{schema}}.passages
    WHERE NOT placed.known AND placed.place <= shown AND user_id = owner AND passages.document_id = placed.document_id
      AND passages.generation = placed.generation AND passages.ordinal = placed.ordinal OFFSET 0
  ) AS p ON true LEFT JOIN LATERAL (
    SELECT filename FROM {{schema}}.documents
    WHERE NOT placed.known AND placed.place <= shown AND user_id = owner AND id = placed.document_id OFFSET 0
  ) AS d ON true
  ORDER BY similarity DESC, document_id, ordinal;
END
$function$;

-- Both searches in one call, for a question whose embedding is known when the search begins. First come the passages
-- found by words, with a score; then the nearest passages and the similarity of those found by words, without a score.
CREATE FUNCTION {{schema}}.passages_by_both(
  owner text, named uuid[], searched text, wanted integer, accented text[], unmarked text[], plain_mark text,
  k1 float8, b float8, candidates integer, compared integer,
  asked real[], asked_model text, nearest integer, shown integer, extension text, exact_within integer
) RETURNS TABLE (
  document_id uuid, filename text, ordinal integer, page integer, start_offset integer, end_offset integer, text text,
  headings jsonb, score float8, length integer, terms text, frequencies text, passages_with text, occurrences integer,
  passages float8, average_length float8, similarity float8, average_similarity float8, deviation float8
) LANGUAGE plpgsql STABLE
AS $function$
#variable_conflict use_column
DECLARE
  found_documents uuid[] := '{}';
  found_ordinals integer[] := '{}';
BEGIN
  FOR document_id, filename, ordinal, page, start_offset, end_offset, text, headings, score, length, terms, frequencies,
    passages_with, occurrences, passages, average_length
  IN SELECT * FROM {{schema}}.passages_by_words(
    owner, named, searched, wanted, accented, unmarked, plain_mark, k1, b, candidates, compared)
  LOOP
    found_documents := found_documents || document_id;
    found_ordinals := found_ordinals || ordinal;
    RETURN NEXT;
  END LOOP;
  RETURN QUERY
  SELECT m.document_id, m.filename, m.ordinal, m.page, m.start_offset, m.end_offset, m.text, m.headings, null::float8,
    null::integer, null::text, null::text, null::text, null::integer, null::float8, null::float8, m.similarity,
    m.average_similarity, m.deviation
  FROM {{schema}}.passages_by_meaning(
    owner, named, asked, asked_model, nearest, shown, found_documents, found_ordinals, extension, exact_within) AS m;
END
$function$;

