-- The actions of operators. Only the owner of the tables may change an entry, and only to erase a person: "erase_user".
CREATE TABLE {{schema}}.audit_log (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  action text NOT NULL CHECK (action <> ''),
  operator text NOT NULL CHECK (operator <> ''),
  -- The person whom the action affected; a pseudonym after an erasure.
  subject text COLLATE "C",
  reason text,
  details text NOT NULL
);
CREATE INDEX audit_log_of_subject ON {{schema}}.audit_log (subject, number) WHERE subject IS NOT NULL;
CREATE INDEX audit_log_by_time ON {{schema}}.audit_log (at);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {{schema}}.audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();

ALTER TABLE {{schema}}.audit_log ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.audit_log TO parley_service USING (true);
