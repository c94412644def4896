-- compatible from 0032
-- A passage's score by words is multiplied by the score of its whole document, as a share of the best one, because a
-- long document has more passages of which one may be the best. Lengths are compared with the average of the named
-- documents in the same language: a text without spaces has several times as many terms as another one. The function is
-- otherwise that of 0015, and its result has the same columns; "average_length" is that of the row's language.

-- BM25 by the formula of "scoreTerm" in the core, in the languages of the named documents. Returns at most "wanted"
-- passages, best first. "searched" is the question; "accented" are its words with accents and "unmarked" the same words
-- without; "plain_mark" is the prefix of the terms by which words without accents are found; "k1" and "b" are the
-- constants of BM25. The first "candidates" passages come with their terms for relevance feedback; the first "compared"
-- also with the number of the owner's passages that contain each term. Scores are summed as whole billionths, which
-- double precision adds exactly: equal passages have equal scores, whatever the order in which their terms are added.
CREATE OR REPLACE FUNCTION {{schema}}.passages_by_words(
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
    SELECT document_id, generation, passages FROM {{schema}}.passage_generations
    WHERE user_id = owner AND active AND NOT counted
  ), corpus AS MATERIALIZED (
    SELECT sum(passages)::float8 AS passages FROM (
      SELECT passages FROM {{schema}}.index_statistics WHERE user_id = owner UNION ALL SELECT passages FROM uncounted
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
    min(corpus.passages),
    (SELECT array_agg(document_id) FROM uncounted), (SELECT array_agg(generation) FROM uncounted)
  INTO asked_terms, asked_weights, asked_occurrences, all_passages, uncounted_documents, uncounted_generations
  FROM corpus, query JOIN known USING (term);
  IF asked_terms IS NULL THEN
    RETURN;
  END IF;
  asked_parts := {{schema}}.parts_of(asked_terms);
  RETURN QUERY
  WITH generations AS MATERIALIZED (
    -- Numbers stand for documents and terms, because grouping by them takes less time.
    SELECT document_id, generation, (row_number() OVER ())::integer AS document, terms::float8 AS whole_length,
      avg(terms) OVER alike::float8 AS average_whole,
      (sum(terms) OVER alike / nullif(sum(passages) OVER alike, 0))::float8 AS average
    FROM {{schema}}.passage_generations
    WHERE user_id = owner AND active AND document_id = ANY(named) WINDOW alike AS (PARTITION BY language)
  ), weighted AS MATERIALIZED (
    SELECT term, weight * 1000000000::float8 AS weight, term_number::integer
    FROM unnest(asked_terms, asked_weights) WITH ORDINALITY AS given (term, weight, term_number)
  ), uncounted AS MATERIALIZED (
    SELECT * FROM unnest(uncounted_documents, uncounted_generations) AS given (document_id, generation)
  ), posted AS MATERIALIZED (
    SELECT document, block + (spot >> 7) AS ordinal, average, lengths[(spot >> 7) + 1] AS length, term_number, weight,
      CASE WHEN spot & 127 = 127 THEN (frequent -> lexeme ->> (spot >> 7)::text)::integer ELSE spot & 127 END AS frequency
    FROM generations, LATERAL (
      SELECT block, lengths, lexemes, frequent FROM {{schema}}.postings
      WHERE user_id = owner AND postings.document_id = generations.document_id
        AND postings.generation = generations.generation AND part = ANY(asked_parts) OFFSET 0
    ) AS found, unnest({{schema}}.lexemes_among(lexemes, asked_terms)) JOIN weighted ON term = lexeme, unnest(positions) AS spot
  ), wholes AS MATERIALIZED (
    SELECT document, sum(round(weight * frequency / (frequency + k1 * (1 - b + b * whole_length / average_whole)))) AS whole_score
    FROM (SELECT document, term_number, weight, sum(frequency) AS frequency FROM posted GROUP BY 1, 2, 3) AS each
      JOIN generations USING (document)
    GROUP BY document
  ), best AS MATERIALIZED (
    SELECT max(whole_score) AS best_score FROM wholes
  ), found_passages AS (
    SELECT document, ordinal, sum(round(weight * frequency / (frequency + k1 * (1 - b + b * length / average)))) AS own_score
    FROM posted GROUP BY document, ordinal
  ), scored AS MATERIALIZED (
    SELECT document_id, generation, average, ordinal, own_score * (whole_score / best_score) AS score
    FROM found_passages JOIN wholes USING (document) JOIN generations USING (document), best
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
    asked_occurrences, all_passages, ranked.average
  FROM ranked LEFT JOIN compared_words USING (rank), LATERAL (
    SELECT filename FROM {{schema}}.documents WHERE user_id = owner AND id = ranked.document_id OFFSET 0
  ) AS d
  ORDER BY rank;
END
$function$;
