-- Upkeep of stored payments, outside of events.

-- Events that still have their content: done events of people, and events without a person. A row is in one of the two
-- indexes.
CREATE INDEX payment_events_done ON {{schema}}.payment_events (received_at)
  WHERE payload IS NOT NULL AND owner IS NOT NULL AND state IN ('applied', 'ignored');
CREATE INDEX payment_events_unmatched ON {{schema}}.payment_events (received_at)
  WHERE payload IS NOT NULL AND owner IS NULL;

-- Paid subscriptions that have not ended: a check of all people finds those who have several.
CREATE INDEX billing_subscriptions_paid ON {{schema}}.billing_subscriptions (user_id, subscription_id)
  WHERE NOT facts ? 'endedAt' AND facts ?| ARRAY['paid', 'checkout'];

-- Deletes the content of up to "page" done events, and up to "page" events that name no person or still wait, if they
-- were received before the given times. It skips rows that another transaction has locked: it waits for no event, and
-- any number of processes may call it at once.
CREATE FUNCTION {{schema}}.forget_payments(done_before timestamptz, unmatched_before timestamptz, page integer) RETURNS json
LANGUAGE plpgsql AS $function$
DECLARE
  reduced bigint;
  old text[];
  freed text[];
BEGIN
  WITH done AS (
    SELECT e.event_id FROM {{schema}}.payment_events e
    WHERE e.payload IS NOT NULL AND e.owner IS NOT NULL AND e.state IN ('applied', 'ignored') AND e.received_at < done_before
    ORDER BY e.received_at LIMIT page FOR UPDATE SKIP LOCKED
  )
  UPDATE {{schema}}.payment_events e SET payload = NULL FROM done d WHERE e.event_id = d.event_id;
  GET DIAGNOSTICS reduced = ROW_COUNT;
  old := ARRAY(
    SELECT e.event_id FROM (
      SELECT u.event_id FROM {{schema}}.payment_events u
      WHERE u.payload IS NOT NULL AND u.owner IS NULL AND u.received_at < unmatched_before
      UNION
      SELECT w.event_id FROM {{schema}}.payment_events w WHERE w.state = 'waiting' AND w.received_at < unmatched_before
      LIMIT page
    ) o JOIN {{schema}}.payment_events e ON e.event_id = o.event_id
    FOR UPDATE OF e SKIP LOCKED
  );
  WITH waits AS (
    DELETE FROM {{schema}}.payment_waits w WHERE w.event_id = ANY(old) RETURNING w.reference
  )
  SELECT array_agg(DISTINCT w.reference) INTO freed FROM waits w;
  DELETE FROM {{schema}}.payment_events e WHERE e.event_id = ANY(old);
  -- References that existed only because these events waited for them.
  DELETE FROM {{schema}}.payment_references r WHERE r.reference IN (
    SELECT f.reference FROM {{schema}}.payment_references f
    WHERE f.reference = ANY(freed) AND f.owner IS NULL
      AND NOT EXISTS (SELECT FROM {{schema}}.payment_waits w WHERE w.reference = f.reference)
    FOR UPDATE SKIP LOCKED
  );
  RETURN json_build_object('reduced', reduced, 'deleted', cardinality(old));
END
$function$;

-- Rows that are compared with the provider: the grants of purchases, and the accounts whose plan an invoice renews.
-- They are a small part of the ledger.
CREATE INDEX credit_transactions_topups ON {{schema}}.credit_transactions (user_id, number) WHERE type = 'topup';
CREATE INDEX credit_accounts_by_invoice ON {{schema}}.credit_accounts (user_id) WHERE renewed_by = 'invoice';

-- Up to "page" people after "after" who have stored payments, linked references, or a plan that invoices renew; each
-- with the differences from the written state.
CREATE FUNCTION {{schema}}.verify_billing(after text, page integer) RETURNS TABLE (user_id text, wrong text[])
LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT n.user_id, array_remove(ARRAY[
    CASE WHEN a.user_id IS NULL THEN 'nothing is kept of the person''s payments' END,
    CASE WHEN a.user_id IS NOT NULL AND a.seal IS DISTINCT FROM {{schema}}.billing_seal(a) THEN
      'what is known of the person and of their subscriptions is not as it was written' END,
    CASE WHEN a.purchases <> p.present THEN p.present || ' of ' || a.purchases || ' purchases are there' END,
    CASE WHEN p.changed > 0 THEN p.changed || ' purchases are not as they were written' END,
    CASE WHEN l.unlinked > 0 THEN l.unlinked || ' references of the person are not linked to the person' END
  ], NULL)
  FROM (
    SELECT m.user_id FROM (
      (SELECT b.user_id FROM {{schema}}.billing_accounts b WHERE b.user_id > after ORDER BY b.user_id LIMIT page)
      UNION
      (SELECT DISTINCT s.user_id FROM {{schema}}.billing_subscriptions s WHERE s.user_id > after ORDER BY s.user_id LIMIT page)
      UNION
      (SELECT DISTINCT q.user_id FROM {{schema}}.billing_purchases q WHERE q.user_id > after ORDER BY q.user_id LIMIT page)
      UNION
      (SELECT DISTINCT r.owner FROM {{schema}}.payment_references r
       WHERE r.owner > after AND r.owner <> 'erased:' ORDER BY r.owner LIMIT page)
      UNION
      (SELECT c.user_id FROM {{schema}}.credit_accounts c
       WHERE c.renewed_by = 'invoice' AND c.user_id > after ORDER BY c.user_id LIMIT page)
    ) m ORDER BY m.user_id LIMIT page
  ) n
  LEFT JOIN {{schema}}.billing_accounts a ON a.user_id = n.user_id
  CROSS JOIN LATERAL (
    SELECT count(*) AS present, count(*) FILTER (WHERE q.digest <> {{schema}}.link_digest(
      (SELECT e.digest FROM {{schema}}.billing_purchases e WHERE e.user_id = q.user_id AND e.number = q.number - 1),
      {{schema}}.bought_text(q.user_id, q.session_id, q.payment_id, q.price_id, q.granted, q.paid, q.currency, q.bought_at,
        q.number))
      OR (q.number = a.purchases AND q.digest <> a.purchases_digest)) AS changed
    FROM {{schema}}.billing_purchases q WHERE q.user_id = n.user_id
  ) p
  CROSS JOIN LATERAL (
    SELECT count(*) AS unlinked FROM (
      SELECT 'customer:' || a.customer_id AS reference
      UNION ALL
      SELECT 'payment:' || q.payment_id FROM {{schema}}.billing_purchases q WHERE q.user_id = n.user_id AND q.paid > 0
      UNION ALL
      SELECT 'subscription:' || s.subscription_id FROM {{schema}}.billing_subscriptions s WHERE s.user_id = n.user_id
      UNION
      SELECT 'invoice:' || (jsonb_path_query(s.facts, '$.**.invoiceId') #>> '{}')
      FROM {{schema}}.billing_subscriptions s WHERE s.user_id = n.user_id
    ) k
    WHERE k.reference IS NOT NULL AND NOT EXISTS (
      SELECT FROM {{schema}}.payment_references r WHERE r.reference = k.reference COLLATE "C" AND r.owner = n.user_id)
  ) l
  ORDER BY n.user_id;
END
$function$;

-- The time up to which all events of the payment provider have arrived: one row, which background work moves forward.
CREATE TABLE {{schema}}.payment_catch_up (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  caught_up_to timestamptz NOT NULL
);
ALTER TABLE {{schema}}.payment_catch_up ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.payment_catch_up TO parley_service USING (true);
