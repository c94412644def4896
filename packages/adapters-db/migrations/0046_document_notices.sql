-- compatible from 0032
-- A sentence for the owner of a document that is ready in part, and the SHA-256 of its file, by which a repeated file is
-- recognised. Both are null for documents of earlier releases.
ALTER TABLE {{schema}}.documents ADD COLUMN notice text, ADD COLUMN content bytea;
CREATE INDEX documents_by_content ON {{schema}}.documents (user_id, content) WHERE content IS NOT NULL;

-- Adds a document as the function of 0016 does, with the digest of its file; "same_as" is the owner's first document of
-- the same file that has not failed, other than this one.
CREATE FUNCTION {{schema}}.insert_document(
  owner text, document uuid, filename text, type text, size bigint, status text, progress float8, reason text, reason_code text,
  pages integer, passages integer, created_at timestamptz, max_documents bigint, max_bytes bigint, file_content bytea,
  OUT documents bigint, OUT bytes bigint, OUT failed bigint, OUT inserted boolean, OUT known boolean, OUT same_as uuid
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $function$
BEGIN
  SELECT i.* INTO documents, bytes, failed, inserted, known
  FROM {{schema}}.insert_document(owner, document, filename, type, size, status, progress, reason, reason_code, pages, passages,
    created_at, max_documents, max_bytes) i;
  IF inserted AND NOT known AND file_content IS NOT NULL THEN
    SELECT d.id INTO same_as FROM {{schema}}.documents d
    WHERE d.user_id = owner AND d.content = file_content AND d.id <> document AND d.status <> 'failed'
    ORDER BY d.created_at, d.id LIMIT 1;
    UPDATE {{schema}}.documents d SET content = file_content WHERE d.user_id = owner AND d.id = document;
  END IF;
END
$function$;
GRANT EXECUTE ON FUNCTION {{schema}}.insert_document(text, uuid, text, text, bigint, text, float8, text, text, integer, integer,
  timestamptz, bigint, bigint, bytea) TO parley_user, parley_service;
