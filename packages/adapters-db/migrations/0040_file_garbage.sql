-- compatible from 0032
-- Only the trigger queues objects for deletion: a person could queue the object of another person's file before.
ALTER FUNCTION {{schema}}.discard_object() SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION {{schema}}.discard_object() FROM PUBLIC;
DROP POLICY owner ON {{schema}}.file_garbage;
REVOKE INSERT ON {{schema}}.file_garbage FROM parley_user;
