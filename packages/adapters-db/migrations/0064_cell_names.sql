-- compatible from 0032
-- The identity of a cell's database, and the version of the directory. A process refuses a database that is not the cell
-- of its name, and a directory with a lower version than a cell has seen: people would get second accounts.

-- The directory itself, in the global database alone.
CREATE TABLE {{schema}}.directory (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Grows with each change of a bucket or a placement, whose version it becomes.
  version bigint NOT NULL DEFAULT 0 CHECK (version >= 0)
);
INSERT INTO {{schema}}.directory (version)
SELECT greatest((SELECT max(p.version) FROM {{schema}}.placements p), (SELECT max(b.version) FROM {{schema}}.cell_buckets b), 0)
WHERE EXISTS (SELECT FROM {{schema}}.cells);
ALTER TABLE {{schema}}.directory ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.directory TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE ON {{schema}}.directory TO parley_service;

-- The id of the database that has the name of the cell; null before one got it.
ALTER TABLE {{schema}}.cells ADD COLUMN database_id uuid;

-- In the database of a cell: which one it is, and of which directory.
CREATE TABLE {{schema}}.this_cell (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  directory uuid NOT NULL,
  name text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  -- The highest version of the directory on which a change here is based.
  seen bigint NOT NULL DEFAULT 0 CHECK (seen >= 0)
);
ALTER TABLE {{schema}}.this_cell ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.this_cell TO parley_service USING (true);
GRANT SELECT, INSERT ON {{schema}}.this_cell TO parley_service;

-- Each change of an owner's state here has the version of the owner's placement.
CREATE FUNCTION {{schema}}.note_seen() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  UPDATE {{schema}}.this_cell SET seen = NEW.version WHERE seen < NEW.version;
  RETURN NULL;
END
$function$;
CREATE TRIGGER version_seen AFTER INSERT OR UPDATE OF version ON {{schema}}.moved_owners FOR EACH ROW
  EXECUTE FUNCTION {{schema}}.note_seen();
GRANT EXECUTE ON FUNCTION {{schema}}.note_seen() TO parley_service;
