-- compatible from 0032
-- The function of 0050, whose work grew with the square of the number of ranges: it added each to a multirange, which copies
-- and sorts the whole of it each time. The ranges are collected now, and joined once.
CREATE OR REPLACE FUNCTION {{schema}}.branch_of(
  of_user text, of_bot text, of_visitor text, of_chat uuid, newest bigint, named uuid, place text,
  OUT positions int8multirange, OUT branched bigint[]
) LANGUAGE plpgsql STABLE AS $function$
DECLARE
  -- The ranges of positions of which each follows the one before it, and the positions that their first messages follow.
  firsts bigint[];
  parents bigint[];
  lasts bigint[];
  ending bigint := newest;
  ranges int8range[] := '{}';
  -- The ranges that are reached from the named message, its own range, and its position.
  reached boolean[] := '{}';
  named_range integer;
  named_position bigint;
  followed integer;
BEGIN
  SELECT array_agg(m.position ORDER BY m.position), array_agg(m.parent_position ORDER BY m.position)
  INTO firsts, branched FROM {{schema}}.messages m
  WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat
    AND m.parent_position IS NOT NULL;
  IF named IS NOT NULL THEN
    SELECT CASE place WHEN 'before' THEN coalesce(m.parent_position, m.position - 1) ELSE m.position END INTO ending
    FROM {{schema}}.messages m
    WHERE m.user_id = of_user AND m.bot = of_bot AND m.visitor = of_visitor AND m.chat_id = of_chat AND m.id = named;
  END IF;
  positions := '{}';
  IF firsts IS NULL OR ending IS NULL THEN
    IF ending > 0 AND place = 'through' THEN
      ending := newest;
    END IF;
    IF ending > 0 THEN
      positions := int8multirange(int8range(1, ending + 1));
    END IF;
    RETURN;
  END IF;
  lasts := firsts || (newest + 1);
  firsts := 1::bigint || firsts;
  parents := 0::bigint || branched;
  IF place = 'through' THEN
    -- What follows the message are the rest of its own range and, of the later ranges, those that follow one of these.
    named_range := width_bucket(ending, firsts);
    named_position := ending;
    reached[named_range] := true;
    ending := lasts[named_range] - 1;
    FOR i IN named_range + 1 .. cardinality(firsts) LOOP
      followed := width_bucket(parents[i], firsts);
      IF reached[followed] AND (followed > named_range OR parents[i] >= named_position) THEN
        reached[i] := true;
        ending := lasts[i] - 1;
      END IF;
    END LOOP;
  END IF;
  FOR i IN REVERSE cardinality(firsts) .. 1 LOOP
    IF firsts[i] <= ending THEN
      ranges := ranges || int8range(firsts[i], ending + 1);
      ending := parents[i];
    END IF;
  END LOOP;
  SELECT coalesce(range_agg(r), '{}') INTO positions FROM unnest(ranges) r;
END
$function$;

-- Links customers of imported people, each person and each customer once. Refuses a customer who belongs to another
-- person, and a person who has another customer: returns these people with their own customer, and the ids of the events
-- that waited for the linked customers. Locks the people in the order of their ids, so that calls cannot deadlock. The function of
-- 0049, which two calls at once with one customer could give to two people: a customer that another call linked meanwhile is
-- refused now, so that the caller's next try finds its owner.
CREATE OR REPLACE FUNCTION {{schema}}.adopt_customers(people json, dry boolean) RETURNS json LANGUAGE plpgsql AS $function$
DECLARE
  kept json;
  adopted text[];
  fresh text[];
BEGIN
  IF NOT dry THEN
    PERFORM {{schema}}.lock_payments(l.person)
    FROM (SELECT g.person FROM json_to_recordset(people) AS g(person text) ORDER BY g.person COLLATE "C") l;
  END IF;
  WITH given AS (
    SELECT g.person, g.customer, a.customer_id AS own, {{schema}}.owner_of_references(ARRAY['customer:' || g.customer]) AS owner
    FROM json_to_recordset(people) AS g(person text, customer text)
    LEFT JOIN {{schema}}.billing_accounts a ON a.user_id = g.person
  )
  SELECT json_agg(json_build_object('person', g.person, 'customer', CASE WHEN g.own <> g.customer THEN g.own END))
      FILTER (WHERE g.own <> g.customer OR g.owner <> g.person),
    array_agg(g.person) FILTER (WHERE (g.own = g.customer OR g.own IS NULL) AND (g.owner = g.person OR g.owner IS NULL))
  INTO kept, adopted FROM given g;
  IF NOT dry AND adopted IS NOT NULL THEN
    INSERT INTO {{schema}}.billing_accounts (user_id) SELECT p.person FROM unnest(adopted) AS p(person)
    ORDER BY p.person COLLATE "C" ON CONFLICT DO NOTHING;
    UPDATE {{schema}}.billing_accounts a
    SET customer_id = g.customer, imported_at = coalesce(a.imported_at, to_timestamp(g.imported_at / 1000))
    FROM json_to_recordset(people) AS g(person text, customer text, imported_at float8)
    WHERE a.user_id = g.person AND g.person = ANY(adopted);
    PERFORM {{schema}}.seal_billing(adopted);
    fresh := {{schema}}.link_references((
      SELECT json_agg(json_build_object('reference', 'customer:' || g.customer, 'person', g.person))
      FROM json_to_recordset(people) AS g(person text, customer text) WHERE g.person = ANY(adopted)));
    PERFORM FROM json_to_recordset(people) AS g(person text, customer text)
    WHERE g.person = ANY(adopted)
      AND {{schema}}.owner_of_references(ARRAY['customer:' || g.customer]) IS DISTINCT FROM g.person;
    IF FOUND THEN
      RAISE EXCEPTION 'A customer was linked at the same moment.' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  RETURN json_build_object('refused', coalesce(kept, '[]'),
    'waiting', CASE WHEN fresh IS NULL THEN '[]'::json ELSE {{schema}}.waiting_payments(fresh, NULL) END);
END
$function$;

-- The functions of 0049 and 0050 without their grants, where an administrator withdrew the right of PUBLIC to execute functions.
GRANT EXECUTE ON FUNCTION {{schema}}.adopt_customers(json, boolean) TO parley_service;
GRANT EXECUTE ON FUNCTION {{schema}}.branch_of(text, text, text, uuid, bigint, uuid, text),
  {{schema}}.versions_after(text, text, text, uuid, bigint) TO parley_user, parley_service;
