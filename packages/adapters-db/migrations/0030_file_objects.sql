-- Which object of an object store holds the bytes of a document. A document has parts in file_parts, or an object that was
-- moved, or both while it is moved.
CREATE TABLE {{schema}}.file_objects (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  object_key text COLLATE "C" NOT NULL CHECK (object_key <> ''),
  -- In bytes.
  size bigint NOT NULL CHECK (size >= 0),
  -- When somebody began to write it, last.
  begun_at timestamptz NOT NULL,
  -- Since when it is whole; null while it is written.
  moved_at timestamptz,
  PRIMARY KEY (user_id, document_id),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);

CREATE INDEX file_objects_begun ON {{schema}}.file_objects (begun_at) WHERE moved_at IS NULL;

-- Objects that nobody needs any more, by names that say nothing of anybody. One whose writing may not have ended is left
-- until it must have: what is removed before it is written would stay for ever.
CREATE TABLE {{schema}}.file_garbage (
  object_key text COLLATE "C" PRIMARY KEY CHECK (object_key <> ''),
  due_at timestamptz NOT NULL
);

CREATE INDEX file_garbage_due ON {{schema}}.file_garbage (due_at);

ALTER TABLE {{schema}}.file_objects ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.file_objects TO parley_user USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.file_objects TO parley_service USING (true);

ALTER TABLE {{schema}}.file_garbage ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.file_garbage FOR INSERT TO parley_user WITH CHECK (true);
CREATE POLICY service ON {{schema}}.file_garbage TO parley_service USING (true);

-- However a document goes, its object goes after it, in the same transaction.
CREATE FUNCTION {{schema}}.discard_object() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO {{schema}}.file_garbage (object_key, due_at)
  VALUES (OLD.object_key, now() + CASE WHEN OLD.moved_at IS NULL THEN interval '1 hour' ELSE interval '0' END);
  RETURN NULL;
END
$function$;

CREATE TRIGGER discard_object AFTER DELETE ON {{schema}}.file_objects
FOR EACH ROW EXECUTE FUNCTION {{schema}}.discard_object();
