-- compatible from 0032
-- Payment events whose references belong to different people in several databases: one of them gets the event. Claims of an
-- import, which keep the moment of its balance. All of it in the global database of cells.

-- The moment of the imported balance, if the reference was claimed by an import: the owner's cell may not have it yet.
ALTER TABLE {{schema}}.payment_owners ADD COLUMN imported_at timestamptz;
-- An erasure finds all claims of a person.
CREATE INDEX payment_owners_of_owner ON {{schema}}.payment_owners (owner) WHERE owner IS NOT NULL AND owner <> 'erased:';

-- Decides in which person's cell an event is applied: that of the owner of the event, or else of the owner that
-- "owner_of_payment" returns, or else of the person whose id the event contains. If a later claim of another reference could
-- change this person, the function claims the event, as the reference 'event:<id>'. This claim stays, so that servers apply
-- other copies of the event for the same person. The function locks the unclaimed references, so that each of their claims
-- is committed before this decision or reads it. If "person" is not null, the function claims the event only for "person".
-- Also returns the references of other people, the state of the event if it is stored here without an owner, and the claim of
-- an import.
CREATE FUNCTION {{schema}}.take_payment(event text, refs text[], claimed text, person text) RETURNS json LANGUAGE plpgsql
AS $function$
DECLARE
  named CONSTANT text[] := ('event:' || event) || refs;
  taker text := coalesce({{schema}}.owner_of_payment(named, claimed), claimed);
BEGIN
  -- The first reference, or the event itself, decides before all others.
  IF taker <> 'erased:' AND taker = coalesce(person, taker) AND refs <> '{}' AND NOT EXISTS (
    SELECT FROM {{schema}}.payment_owners o WHERE o.reference = ANY(named[1:2]) AND o.owner = taker) THEN
    -- Before the references, as links and imports do.
    PERFORM {{schema}}.lock_payments(taker);
    INSERT INTO {{schema}}.payment_owners AS o (reference)
    SELECT DISTINCT r.reference COLLATE "C" FROM unnest(refs) AS r(reference)
    WHERE NOT EXISTS (
      SELECT FROM {{schema}}.payment_owners k WHERE k.reference = r.reference COLLATE "C" AND k.owner IS NOT NULL)
    ORDER BY 1
    ON CONFLICT (reference) DO UPDATE SET owner = NULL WHERE o.owner IS NULL;
    taker := coalesce({{schema}}.owner_of_payment(named, claimed), claimed);
    IF taker <> 'erased:' AND taker = coalesce(person, taker) THEN
      INSERT INTO {{schema}}.payment_owners AS o (reference, owner) VALUES (named[1], taker)
      ON CONFLICT (reference) DO UPDATE SET owner = excluded.owner WHERE o.owner IS NULL;
      taker := {{schema}}.owner_of_payment(named, claimed);
    END IF;
  END IF;
  RETURN json_build_object('owner', taker,
    'others', ARRAY(
      SELECT o.reference FROM {{schema}}.payment_owners o WHERE o.reference = ANY(refs) AND o.owner <> taker),
    'copy', (
      SELECT json_build_object('state', e.state, 'note', e.note) FROM {{schema}}.payment_events e
      WHERE e.event_id = event AND e.owner IS NULL),
    'imported', (
      SELECT json_build_object('reference', o.reference, 'at', extract(epoch FROM o.imported_at) * 1000)
      FROM {{schema}}.payment_owners o
      WHERE o.reference = ANY(refs) AND o.owner = taker AND o.imported_at IS NOT NULL
      ORDER BY o.imported_at, o.reference LIMIT 1));
END
$function$;

-- Claims references, each for a person, unless they belong to another one. Returns those that belong to their person now,
-- and the events that wait for them, oldest first. A repetition changes nothing and returns the same. "copied" is true if the
-- event of the claim is here as one without an owner. The function of 0063, which left out events that wait for a reference of
-- another person too: "take_payment" decides to whom they belong.
CREATE OR REPLACE FUNCTION {{schema}}.claim_payments(people text[], refs text[], event text) RETURNS json LANGUAGE plpgsql
AS $function$
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
        AND e.event_id IN (SELECT w.event_id FROM {{schema}}.payment_waits w WHERE w.reference = ANY(granted))));
END
$function$;

-- The same for an import, whose balances are of these moments, in Unix milliseconds. The first moment stays.
CREATE FUNCTION {{schema}}.claim_imports(people text[], refs text[], moments float8[]) RETURNS json LANGUAGE plpgsql
AS $function$
DECLARE
  answer CONSTANT json := {{schema}}.claim_payments(people, refs, NULL);
BEGIN
  UPDATE {{schema}}.payment_owners o SET imported_at = to_timestamp(g.moment / 1000)
  FROM unnest(people, refs, moments) AS g(person, reference, moment)
  WHERE o.reference = g.reference COLLATE "C" AND o.owner = g.person AND o.imported_at IS NULL;
  RETURN answer;
END
$function$;

GRANT EXECUTE ON FUNCTION {{schema}}.take_payment(text, text[], text, text),
  {{schema}}.claim_imports(text[], text[], float8[]) TO parley_service;
