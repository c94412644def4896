-- Searches by an approximate index over embeddings, for documents with more passages than are compared one by one. An operator
-- makes the index ("parley vectors index"), one a model, since embeddings of others have other dimensions and mean other things.

-- The name of the index over the embeddings of a model. STABLE, as "convert_to" is, so that it is a part of what calls it.
CREATE FUNCTION {{schema}}.vector_index(model text) RETURNS text LANGUAGE sql STABLE
RETURN 'passage_vectors_' || left(encode(sha256(convert_to(model, 'UTF8')), 'hex'), 24);

-- The type by which an index compares embeddings, as pgvector can: whole to 2,000 numbers, and in half precision to 4,000.
-- Null where it has no index for as many.
CREATE FUNCTION {{schema}}.vector_index_type(dimensions integer, extension text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN dimensions <= 2000 THEN format('%s.vector(%s)', extension, dimensions)
  WHEN dimensions <= 4000 THEN format('%s.halfvec(%s)', extension, dimensions) END;

-- Whether the index of a model is to choose among the passages of the documents named: it is there and whole, they have more
-- than "exact_within", and they are a twentieth of what is in it at least. Of a smaller part too few are among the many that a
-- scan has to look at: comparing all of them is as fast, and finds the nearest.
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

-- Passages near to what is asked, by the index: the candidates among which the nearest are found by comparing. Four times as
-- many as the "nearest" that are wanted, since a scan that goes on past what is not named comes upon them in another order. It
-- goes on until it has as many, or has looked at "hnsw.max_scan_tuples". The statement has the model in it, as the index
-- has, and is planned anew each time; nothing but the index gives its order.
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
  -- For this statement alone. Set in the function's own head, they would keep it from a server without pgvector.
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
