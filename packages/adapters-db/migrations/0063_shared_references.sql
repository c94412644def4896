-- compatible from 0032
-- References of payments and public keys of bots over several databases: who owns each. Read and written in the global
-- database of cells alone; in every other database these tables stay empty.

-- A reference belongs to one owner over all cells: 'erased:' after the owner was erased, null while events wait for an
-- owner. It is claimed here before the owner's cell links it. The claim decides, and the link repeats it.
CREATE TABLE {{schema}}.payment_owners (
  reference text COLLATE "C" PRIMARY KEY CHECK (reference <> ''),
  owner text COLLATE "C"
);
CREATE INDEX payment_owners_unclaimed ON {{schema}}.payment_owners (reference) WHERE owner IS NULL;

-- The owner's cell decides whether the bot still has the key.
CREATE TABLE {{schema}}.bot_owners (
  key text COLLATE "C" PRIMARY KEY CHECK (key ~ '^pk_[0-9a-z]{32}$'),
  owner text COLLATE "C" NOT NULL,
  bot_id uuid NOT NULL
);
CREATE INDEX bot_owners_of_bot ON {{schema}}.bot_owners (owner, bot_id);

-- True once the references and the keys of the cell's people are in the two tables.
ALTER TABLE {{schema}}.cells ADD COLUMN listed boolean NOT NULL DEFAULT false;

-- The owner of the first reference that has one; otherwise 'erased:' if one is an erased person's, or if the person whose
-- id the event contains was erased; otherwise null.
CREATE FUNCTION {{schema}}.owner_of_payment(refs text[], claimed text) RETURNS text LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN coalesce(
    (SELECT o.owner FROM {{schema}}.payment_owners o WHERE o.reference = ANY(refs) AND o.owner IS NOT NULL
     ORDER BY o.owner = 'erased:', array_position(refs, o.reference COLLATE "C") LIMIT 1),
    (SELECT o.owner FROM {{schema}}.payment_owners o WHERE o.reference = {{schema}}.erased_reference(claimed)));
END
$function$;

-- The same for an event that has no owner, until the transaction ends: a claim of one of the references waits for the
-- end of the transaction, and then finds the event that waits; or this function waits for the claim.
CREATE FUNCTION {{schema}}.hold_payment(refs text[], claimed text) RETURNS text LANGUAGE plpgsql AS $function$
DECLARE
  person text := {{schema}}.owner_of_payment(refs, claimed);
BEGIN
  IF person IS NULL THEN
    INSERT INTO {{schema}}.payment_owners (reference) SELECT r.reference FROM unnest(refs) AS r(reference)
    ORDER BY r.reference COLLATE "C" ON CONFLICT DO NOTHING;
    PERFORM FROM {{schema}}.payment_owners o WHERE o.reference = ANY(refs) ORDER BY o.reference FOR SHARE;
    person := {{schema}}.owner_of_payment(refs, claimed);
  END IF;
  RETURN person;
END
$function$;

-- Claims references, each for a person, unless they belong to another one. Returns those that belong to their person now,
-- and the events that wait for them, oldest first. Leaves out events that wait for a reference of another person too. A
-- repetition changes nothing and returns the same. "copied" is true if the event of the claim is here as one without an
-- owner.
CREATE FUNCTION {{schema}}.claim_payments(people text[], refs text[], event text) RETURNS json LANGUAGE plpgsql AS $function$
DECLARE
  granted text[];
BEGIN
  INSERT INTO {{schema}}.payment_owners AS o (reference, owner)
  SELECT DISTINCT ON (g.reference COLLATE "C") g.reference COLLATE "C", g.person
  FROM unnest(people, refs) AS g(person, reference)
  WHERE NOT EXISTS (
    SELECT FROM {{schema}}.payment_owners k WHERE k.reference = g.reference COLLATE "C" AND k.owner IS NOT NULL)
  ORDER BY 1
  ON CONFLICT (reference) DO UPDATE SET owner = excluded.owner WHERE o.owner IS NULL;
  granted := ARRAY(
    SELECT o.reference FROM unnest(people, refs) AS g(person, reference)
    JOIN {{schema}}.payment_owners o ON o.reference = g.reference COLLATE "C" AND o.owner = g.person);
  RETURN json_build_object('granted', granted,
    'copied', EXISTS (SELECT FROM {{schema}}.payment_events e WHERE e.event_id = event AND e.owner IS NULL),
    'waiting', (
      SELECT coalesce(json_agg(json_build_object('id', e.event_id, 'kind', e.kind,
        'createdAt', extract(epoch FROM e.created_at) * 1000, 'receivedAt', extract(epoch FROM e.received_at) * 1000,
        'customerId', e.customer_id, 'userId', e.owner, 'state', e.state, 'note', e.note, 'payload', e.payload)
        ORDER BY e.created_at, e.event_id), '[]')
      FROM {{schema}}.payment_events e
      WHERE e.state = 'waiting' AND e.owner IS NULL AND e.event_id IS DISTINCT FROM event
        AND e.event_id IN (SELECT w.event_id FROM {{schema}}.payment_waits w WHERE w.reference = ANY(granted))
        AND NOT EXISTS (
          SELECT FROM {{schema}}.payment_waits w JOIN {{schema}}.payment_owners o ON o.reference = w.reference
          WHERE w.event_id = e.event_id AND o.owner <> 'erased:' AND o.owner <> ALL(people))));
END
$function$;

-- Removes events without an owner that an owner's cell has taken over.
CREATE FUNCTION {{schema}}.drop_payments(ids text[]) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  dropped text[];
  freed text[];
BEGIN
  dropped := ARRAY(
    SELECT e.event_id FROM {{schema}}.payment_events e WHERE e.event_id = ANY(ids) AND e.owner IS NULL
    ORDER BY e.event_id FOR UPDATE);
  WITH waits AS (
    DELETE FROM {{schema}}.payment_waits w WHERE w.event_id = ANY(dropped) RETURNING w.reference
  )
  SELECT array_agg(DISTINCT w.reference) INTO freed FROM waits w;
  DELETE FROM {{schema}}.payment_events e WHERE e.event_id = ANY(dropped);
  -- References that existed only because these events waited for them.
  DELETE FROM {{schema}}.payment_references r WHERE r.reference IN (
    SELECT f.reference FROM {{schema}}.payment_references f
    WHERE f.reference = ANY(freed) AND f.owner IS NULL
      AND NOT EXISTS (SELECT FROM {{schema}}.payment_waits w WHERE w.reference = f.reference)
    FOR UPDATE SKIP LOCKED
  );
END
$function$;

-- Makes references those of an erased person, after the person's cell has done so. The person may be back already with
-- other references, which stay.
CREATE FUNCTION {{schema}}.erase_payments(person text, refs text[]) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  own text[];
BEGIN
  INSERT INTO {{schema}}.payment_owners AS o (reference, owner)
  SELECT r.reference, 'erased:' FROM unnest(refs || {{schema}}.erased_reference(person)) AS r(reference)
  ORDER BY r.reference COLLATE "C"
  ON CONFLICT (reference) DO UPDATE SET owner = 'erased:' WHERE o.owner IS NULL OR o.owner = person;
  own := ARRAY(
    SELECT o.reference FROM {{schema}}.payment_owners o
    WHERE o.reference = ANY(refs || {{schema}}.erased_reference(person)) AND o.owner = 'erased:');
  -- The inbox of this database keeps later events of these references.
  INSERT INTO {{schema}}.payment_references AS r (reference, owner)
  SELECT g.reference, 'erased:' FROM unnest(own) AS g(reference) ORDER BY g.reference COLLATE "C"
  ON CONFLICT (reference) DO UPDATE SET owner = 'erased:' WHERE r.owner IS NULL;
  UPDATE {{schema}}.payment_events e SET payload = NULL
  WHERE e.owner IS NULL AND e.payload IS NOT NULL AND e.customer_id IN (
    SELECT substr(g.reference, 10) FROM unnest(own) AS g(reference) WHERE starts_with(g.reference, 'customer:'));
END
$function$;

-- Erases a person of another database from the rows that all people share: the sign-in, the counts of requests, and the
-- names in the log of operators' actions. Runs as the owner of the tables, who alone may change an entry of that log.
CREATE FUNCTION {{schema}}.erase_shared(person text, pseudonym text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  DELETE FROM {{schema}}.sign_ins s USING {{schema}}.sign_in_people p WHERE p.subject = person AND s.email = p.email;
  DELETE FROM {{schema}}.sign_in_people WHERE subject = person;
  DELETE FROM {{schema}}.rate_windows WHERE subject = person;
  IF EXISTS (SELECT FROM {{schema}}.audit_log WHERE subject = person) THEN
    INSERT INTO {{schema}}.erasures (pseudonym) VALUES (erase_shared.pseudonym) ON CONFLICT DO NOTHING;
    UPDATE {{schema}}.audit_log SET subject = erase_shared.pseudonym, reason = NULL, details = '' WHERE subject = person;
  END IF;
  PERFORM {{schema}}.erase_operator(person, pseudonym);
END
$function$;

ALTER TABLE {{schema}}.payment_owners ENABLE ROW LEVEL SECURITY;
ALTER TABLE {{schema}}.bot_owners ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.payment_owners TO parley_service USING (true);
CREATE POLICY service ON {{schema}}.bot_owners TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.payment_owners, {{schema}}.bot_owners TO parley_service;
REVOKE ALL ON FUNCTION {{schema}}.erase_shared(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {{schema}}.owner_of_payment(text[], text), {{schema}}.hold_payment(text[], text),
  {{schema}}.claim_payments(text[], text[], text), {{schema}}.drop_payments(text[]),
  {{schema}}.erase_payments(text, text[]), {{schema}}.erase_shared(text, text) TO parley_service;
