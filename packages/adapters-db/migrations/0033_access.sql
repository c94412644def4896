-- compatible from 0032
-- The people whose access an operator ended, and those who were erased. A row is found by the digest of the person's id,
-- so that it stays after an erasure without naming the person.
CREATE TABLE {{schema}}.access (
  -- The SHA-256 of the user id.
  person bytea PRIMARY KEY CHECK (octet_length(person) = 32),
  -- The user id; null after an erasure.
  subject text COLLATE "C" CHECK (subject IS NULL OR person = sha256(convert_to(subject, 'UTF8'))),
  -- Tokens that were issued earlier are refused.
  not_before timestamptz,
  -- Null if the person is not blocked.
  blocked_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX access_by_time ON {{schema}}.access (changed_at);
CREATE INDEX access_of_subject ON {{schema}}.access (subject) WHERE subject IS NOT NULL;

ALTER TABLE {{schema}}.access ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.access TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE ON {{schema}}.access TO parley_service;

-- Changes a person's access: "block", "unblock" or "sign-out". The clock is read once, in the rows to be inserted.
CREATE FUNCTION {{schema}}.change_access(id text, change text) RETURNS {{schema}}.access LANGUAGE sql AS $function$
  INSERT INTO {{schema}}.access AS a (person, subject, not_before, blocked_at, changed_at)
  SELECT sha256(convert_to(id, 'UTF8')), id, CASE change WHEN 'sign-out' THEN c.now END,
    CASE change WHEN 'block' THEN c.now END, c.now
  FROM clock_timestamp() AS c(now)
  ON CONFLICT (person) DO UPDATE SET
    subject = excluded.subject,
    not_before = greatest(a.not_before, excluded.not_before),
    blocked_at = CASE change WHEN 'unblock' THEN NULL ELSE coalesce(a.blocked_at, excluded.blocked_at) END,
    changed_at = greatest(a.changed_at, excluded.changed_at)
  RETURNING *
$function$;

-- Refuses the older tokens of a person who is erased in this transaction. Keeps a block, and not the id.
CREATE FUNCTION {{schema}}.erase_access(id text) RETURNS void LANGUAGE sql AS $function$
  SELECT {{schema}}.change_access(id, 'sign-out');
  UPDATE {{schema}}.access SET subject = NULL WHERE person = sha256(convert_to(id, 'UTF8'))
$function$;

GRANT EXECUTE ON FUNCTION {{schema}}.change_access(text, text), {{schema}}.erase_access(text) TO parley_service;
