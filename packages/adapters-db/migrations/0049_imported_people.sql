-- compatible from 0032
-- People who come with a balance from another system. Their payments that were reported before that moment are part of
-- the balance.
ALTER TABLE {{schema}}.billing_accounts ADD COLUMN imported_at timestamptz;

-- The digest of a person's row and subscriptions. A row without the moment of an import has the digest of 0022.
CREATE OR REPLACE FUNCTION {{schema}}.billing_seal(a {{schema}}.billing_accounts) RETURNS bytea LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN sha256(convert_to(
    ROW(a.user_id, a.customer_id, a.followed, a.invoice_reports, a.pinned, a.purchases, encode(a.purchases_digest, 'hex'))::text
      || coalesce((
        SELECT string_agg(ROW(s.subscription_id, s.facts)::text, '' ORDER BY s.subscription_id)
        FROM {{schema}}.billing_subscriptions s WHERE s.user_id = a.user_id), '')
      || coalesce(extract(epoch FROM a.imported_at)::text, ''), 'UTF8'));
END
$function$;

-- The stored state of a person, for a decision, as in 0022, with the moment of the import. Null if the person has no row.
CREATE OR REPLACE FUNCTION {{schema}}.billing_known(person text, by_session text, by_payment text) RETURNS json
LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN (
    SELECT json_build_object(
      'userId', a.user_id, 'customerId', a.customer_id, 'followed', a.followed, 'invoiceReports', a.invoice_reports,
      'pinned', a.pinned, 'importedAt', extract(epoch FROM a.imported_at) * 1000,
      'subscriptions', (
        SELECT coalesce(json_agg(s.facts ORDER BY s.subscription_id), '[]') FROM {{schema}}.billing_subscriptions s
        WHERE s.user_id = person),
      'bought', (
        SELECT json_build_object('sessionId', p.session_id, 'paymentId', p.payment_id, 'priceId', p.price_id,
          'granted', p.granted, 'paid', p.paid, 'currency', p.currency,
          'boughtAt', extract(epoch FROM p.bought_at) * 1000)
        FROM (
          SELECT s.* FROM {{schema}}.billing_purchases s WHERE s.user_id = person AND s.session_id = by_session
          UNION ALL
          SELECT c.* FROM {{schema}}.billing_purchases c WHERE c.user_id = person AND c.payment_id = by_payment
        ) p LIMIT 1)
    ) FROM {{schema}}.billing_accounts a WHERE a.user_id = person
  );
END
$function$;

-- Links customers of imported people, each person and each customer once. Refuses a customer who belongs to another
-- person, and a person who has another customer: returns these people with their own customer, and the ids of the events
-- that waited for the linked customers. Locks the people in the order of their ids, so that calls cannot deadlock.
CREATE FUNCTION {{schema}}.adopt_customers(people json, dry boolean) RETURNS json LANGUAGE plpgsql AS $function$
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
  END IF;
  RETURN json_build_object('refused', coalesce(kept, '[]'),
    'waiting', CASE WHEN fresh IS NULL THEN '[]'::json ELSE {{schema}}.waiting_payments(fresh, NULL) END);
END
$function$;
