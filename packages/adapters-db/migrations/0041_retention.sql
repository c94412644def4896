-- compatible from 0032
-- Retention: background work deletes chats, visitors' conversations and entries of the audit log that are older than an
-- operator keeps them.

-- The chats without use for longest, of people and of visitors: a chat is in one of the two indexes.
CREATE INDEX chats_of_people_by_age ON {{schema}}.chats (updated_at) WHERE bot = '';
CREATE INDEX chats_of_visitors_by_age ON {{schema}}.chats (updated_at) WHERE bot <> '';

-- Entries of the audit log may be deleted after 30 days and not before, so that the login of a server cannot remove the
-- traces of a recent action. Changes are refused as before, but for an erasure.
DROP TRIGGER append_only ON {{schema}}.audit_log;
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON {{schema}}.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();

CREATE FUNCTION {{schema}}.refuse_early_deletion() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF OLD.at < clock_timestamp() - interval '30 days' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'Entries of % are kept for 30 days at least.', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$function$;
CREATE TRIGGER kept BEFORE DELETE ON {{schema}}.audit_log
  FOR EACH ROW EXECUTE FUNCTION {{schema}}.refuse_early_deletion();
GRANT DELETE ON {{schema}}.audit_log TO parley_service;
GRANT EXECUTE ON FUNCTION {{schema}}.refuse_early_deletion() TO parley_service;
