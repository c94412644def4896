-- Events of many people in one transaction of two statements: one reads the facts of each person, the server decides,
-- and one writes if nothing has changed since the read. Every other event is applied alone, by "receive_payment" and
-- "conclude_payment". These functions compare and write, and contain no rules. Their plans are cached, so they are
-- restricted to look-ups of one row after another by its key.

-- The state of some events, the facts of their persons, and the persons' credit accounts. Locks nothing. "known" is
-- null if the event names no person, or if the person has no facts.
CREATE FUNCTION {{schema}}.read_payments(payments json)
RETURNS TABLE (
  place integer, state text, note text, person text, version bigint, known json, account {{schema}}.credit_accounts
) LANGUAGE plpgsql STABLE ROWS 8
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
BEGIN
  RETURN QUERY
  WITH given AS MATERIALIZED (
    SELECT g.place, g.id, {{schema}}.person_of_payment(g.refs, g.claimed) AS person, g.session, g.payment
    FROM json_to_recordset(payments) AS g(place integer, id text, refs text[], claimed text, session text, payment text)
  )
  SELECT g.place, e.state, e.note, g.person, b.version, {{schema}}.billing_known(g.person, g.session, g.payment), a
  FROM given g
  LEFT JOIN {{schema}}.payment_events e ON e.event_id = g.id
  LEFT JOIN {{schema}}.billing_accounts b ON b.user_id = g.person
  LEFT JOIN {{schema}}.credit_accounts a ON a.user_id = g.person;
END
$function$;

-- Applies events of different people, all or none. If a person has changed since their event was decided, or another
-- transaction has locked one, it returns these people and writes nothing; it returns an empty list if all events are
-- written. Does not wait for a person's row. Fails with 40001, with nothing written, if events wait for the new links.
--
-- Each event has its id, its person, and the versions of the person's facts and credit account (null if the account is
-- not touched); in addition there are the keys and charges that are assumed to be unused. The other parameters are the
-- consequences, as "conclude_payment" and "write_credits" write them.
CREATE FUNCTION {{schema}}.apply_payments(
  ids text[], people text[], versions bigint[], credit_versions bigint[],
  key_people text[], keys text[], charge_people text[], charges text[],
  events json, known json, subscriptions json, bought json, links json,
  accounts json, seen text[], transactions json, records json, purchases json, summed json,
  decided_at float8
) RETURNS text[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET jit = off
SET lock_timeout = 500
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  changed text[];
  fresh text[];
BEGIN
  WITH given AS MATERIALIZED (
    SELECT g.* FROM unnest(ids, people, versions, credit_versions) AS g(id, person, version, credit_version)
  ), billing AS MATERIALIZED (
    SELECT g.person FROM given g JOIN {{schema}}.billing_accounts b ON b.user_id = g.person
    WHERE b.version = g.version
    FOR NO KEY UPDATE OF b SKIP LOCKED
  ), credits AS MATERIALIZED (
    SELECT g.person FROM given g JOIN {{schema}}.credit_accounts a ON a.user_id = g.person
    WHERE a.version = g.credit_version
    FOR NO KEY UPDATE OF a SKIP LOCKED
  )
  SELECT array_agg(g.person) INTO changed FROM given g
  WHERE NOT pg_try_advisory_xact_lock(hashtextextended(g.id, 8060))
    OR g.person NOT IN (SELECT b.person FROM billing b)
    OR (g.credit_version IS NOT NULL AND g.person NOT IN (SELECT c.person FROM credits c));

  -- The rows of the other people are locked now and no longer change.
  SELECT array_agg(u.person) INTO changed FROM (
    SELECT c.person FROM unnest(changed) AS c(person)
    UNION
    SELECT g.person FROM unnest(ids, people) AS g(id, person)
    JOIN {{schema}}.payment_events e ON e.event_id = g.id
    UNION
    SELECT k.person FROM unnest(key_people, keys) AS k(person, key)
    WHERE EXISTS (SELECT FROM {{schema}}.credit_idempotency i WHERE i.user_id = k.person AND i.key = k.key)
      OR EXISTS (SELECT FROM {{schema}}.credit_holds h WHERE h.user_id = k.person AND h.key = k.key)
    UNION
    SELECT p.person FROM unnest(charge_people, charges) AS p(person, charge)
    WHERE EXISTS (SELECT FROM {{schema}}.credit_purchases c WHERE c.user_id = p.person AND c.charge = p.charge)
  ) u;
  IF changed IS NOT NULL THEN RETURN changed; END IF;

  IF accounts IS NOT NULL AND {{schema}}.write_credits(accounts, seen, NULL, NULL, NULL, transactions, records, purchases, summed,
      NULL, decided_at) <> '{}' THEN
    RAISE EXCEPTION 'Credits were decided at another time than they are written.' USING ERRCODE = 'serialization_failure';
  END IF;
  fresh := {{schema}}.write_payments(events, known, subscriptions, bought, links);
  PERFORM FROM {{schema}}.payment_waits w WHERE w.reference = ANY(fresh);
  IF FOUND THEN
    RAISE EXCEPTION 'Events wait for what is linked.' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN '{}';
END
$function$;
