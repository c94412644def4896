-- Searches by an approximate index over embeddings, for selections with more passages than are compared one by one. An
-- operator creates the index ("parley vectors index"), one for each model, because embeddings of different models
-- differ in dimensions and meaning.

-- The name of the index over the embeddings of a model. STABLE, as "convert_to" is, so that Postgres can inline the
-- function.
CREATE FUNCTION {{schema}}.vector_index(model text) RETURNS text LANGUAGE sql STABLE
RETURN 'passage_vectors_' || left(encode(sha256(convert_to(model, 'UTF8')), 'hex'), 24);

-- The type by which an index compares embeddings: pgvector indexes up to 2,000 dimensions in single precision, and up
-- to 4,000 in half precision. Null if there are more.
CREATE FUNCTION {{schema}}.vector_index_type(dimensions integer, extension text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN dimensions <= 2000 THEN format('%s.vector(%s)', extension, dimensions)
  WHEN dimensions <= 4000 THEN format('%s.halfvec(%s)', extension, dimensions) END;

-- True if the model's index should choose among the passages of the named documents: the index exists and is valid, and
-- the documents have more than "exact_within" passages and more than a twentieth of all indexed ones. For a smaller
-- share, an index scan passes too many other passages: comparing the named ones is as fast, and exact.
CREATE FUNCTION {{schema}}.vector_index_serves(owner text, named uuid[], asked_model text, exact_within integer) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  index_oid CONSTANT oid := to_regclass('{{schema}}.' || {{schema}}.vector_index(asked_model));
  indexed float8;
BEGIN
  IF index_oid IS NULL THEN
    RETURN false;
  END IF;
  SELECT reltuples INTO indexed FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
  WHERE pg_class.oid = index_oid AND indisvalid;
  IF indexed IS NULL THEN
    RETURN false;
  END IF;
  RETURN coalesce(sum(passages) > greatest(exact_within, indexed / 20), false) FROM {{schema}}.passage_generations
  WHERE user_id = owner AND active AND document_id = ANY(named);
END
$function$;

-- Passages near the question according to the index: candidates among which the exact comparison then finds the
-- nearest. Returns four times "nearest", because a scan that skips passages of other documents finds them in an inexact
-- order. The scan continues until it has that many, or has read "hnsw.max_scan_tuples". The statement contains the
-- model as a literal, as the index does, and is planned for each call; only the index provides the order.
CREATE FUNCTION {{schema}}.near_by_index(
  owner text, named uuid[], asked real[], asked_model text, nearest integer, extension text
) RETURNS TABLE (document_id uuid, ordinal integer) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  compared_as CONSTANT text := {{schema}}.vector_index_type(cardinality(asked), extension);
  scan_before CONSTANT text := current_setting('hnsw.iterative_scan', true);
  breadth_before CONSTANT text := current_setting('hnsw.ef_search', true);
BEGIN
  -- Set for this statement only. As SET clauses of the function, these settings would fail on a server without
  -- pgvector.
  PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.ef_search', least(2 * nearest, 1000)::text, true);
  RETURN QUERY EXECUTE format($query$
    SELECT document_id, ordinal FROM {{schema}}.passage_embeddings
    WHERE model = %L AND user_id = $1 AND ((document_id, generation) IN (
      SELECT document_id, generation FROM {{schema}}.passage_generations
      WHERE user_id = $1 AND active AND document_id = ANY($2)
    )) IS TRUE
    ORDER BY embedding::%s OPERATOR(%s.<=>) $3::%s LIMIT $4
  $query$, asked_model, compared_as, extension, compared_as) USING owner, named, asked, 4 * nearest;
  PERFORM set_config('hnsw.iterative_scan', scan_before, true), set_config('hnsw.ef_search', breadth_before, true);
END
$function$;
