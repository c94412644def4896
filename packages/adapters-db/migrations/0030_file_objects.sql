-- The object in an object store that holds the bytes of a document. A document has parts in file_parts, or a moved
-- object, or both while it is being moved.
CREATE TABLE {{schema}}.file_objects (
  user_id text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  object_key text COLLATE "C" NOT NULL CHECK (object_key <> ''),
  -- In bytes.
  size bigint NOT NULL CHECK (size >= 0),
  -- When a process last began to write the object.
  begun_at timestamptz NOT NULL,
  -- When the object was complete; null while it is being written.
  moved_at timestamptz,
  PRIMARY KEY (user_id, document_id),
  FOREIGN KEY (user_id, document_id) REFERENCES {{schema}}.documents (user_id, id) ON DELETE CASCADE
);

CREATE INDEX file_objects_begun ON {{schema}}.file_objects (begun_at) WHERE moved_at IS NULL;

-- Objects to delete, under names that identify no person. An object that may still be being written is not deleted
-- until its writing must have ended: an object written after its deletion would stay for ever.
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

-- Every deletion of a document queues its object for deletion, in the same transaction.
CREATE FUNCTION {{schema}}.discard_object() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO {{schema}}.file_garbage (object_key, due_at)
  VALUES (OLD.object_key, now() + CASE WHEN OLD.moved_at IS NULL THEN interval '1 hour' ELSE interval '0' END);
  RETURN NULL;
END
$function$;

CREATE TRIGGER discard_object AFTER DELETE ON {{schema}}.file_objects
FOR EACH ROW EXECUTE FUNCTION {{schema}}.discard_object();
