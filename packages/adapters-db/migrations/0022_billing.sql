-- Reports of the payment provider: the inbox of its events, and each person's subscriptions and purchases that follow
-- from them.

-- Ids of a person at the provider: customers, subscriptions, payments. If a reference has no owner, events wait for
-- one. Events contain no other identifier, so this table and the next two need no "user_id" key; the owner is an
-- ordinary column. For an erased person there is also a digest of the id ("erased_reference"), so that no event that
-- contains the id creates the person again.
CREATE TABLE {{schema}}.payment_references (
  reference text COLLATE "C" PRIMARY KEY CHECK (reference <> ''),
  -- 'erased:' after the person was erased: later events for the reference are ignored.
  owner text COLLATE "C"
);
CREATE INDEX payment_references_of_owner ON {{schema}}.payment_references (owner) WHERE owner IS NOT NULL;

-- Each event once.
CREATE TABLE {{schema}}.payment_events (
  event_id text COLLATE "C" PRIMARY KEY CHECK (event_id <> ''),
  kind text NOT NULL,
  created_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  customer_id text,
  owner text COLLATE "C",
  state text NOT NULL CHECK (state IN ('applied', 'ignored', 'owed', 'waiting', 'refused', 'unreadable')),
  -- The reason for the state, as a sentence.
  note text NOT NULL,
  -- The payment that is owed, or that is refunded or disputed, as a reference; null for all other events.
  payment text COLLATE "C",
  -- For the report of a refund or a dispute: its id, and whether it returned the whole payment.
  source text COLLATE "C",
  returned boolean,
  -- The event as it was received, so that it can be parsed again; null after its person was erased.
  payload text,
  CHECK ((source IS NULL) = (returned IS NULL) AND (source IS NULL OR payment IS NOT NULL))
);
CREATE INDEX payment_events_by_time ON {{schema}}.payment_events (received_at, event_id);
CREATE INDEX payment_events_of_owner ON {{schema}}.payment_events (owner, received_at) WHERE owner IS NOT NULL;
-- Events without an owner may still contain data of a person: an erasure finds them by the customer.
CREATE INDEX payment_events_of_customer ON {{schema}}.payment_events (customer_id)
  WHERE owner IS NULL AND payload IS NOT NULL;
-- Unfinished events: they are few, and operators list them.
CREATE INDEX payment_events_open ON {{schema}}.payment_events (state, received_at)
  WHERE state IN ('owed', 'waiting', 'refused', 'unreadable');
CREATE INDEX payment_events_of_payment ON {{schema}}.payment_events (payment) WHERE payment IS NOT NULL;

-- A payment is owed if none of the latest reports of its refunds and disputes says that the whole payment was returned.
-- The order in which the reports arrive does not matter.
CREATE FUNCTION {{schema}}.settle_owed_payment() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  given_back CONSTANT text := 'it was given back';
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW.payment, 8062));
  IF EXISTS (
    SELECT FROM (
      SELECT DISTINCT ON (e.source) e.returned FROM {{schema}}.payment_events e
      WHERE e.payment = NEW.payment AND e.source IS NOT NULL ORDER BY e.source, e.created_at DESC, e.returned DESC
    ) latest WHERE latest.returned) THEN
    UPDATE {{schema}}.payment_events e SET state = 'ignored', note = given_back
    WHERE e.payment = NEW.payment AND e.source IS NULL AND e.state = 'owed';
  ELSE
    UPDATE {{schema}}.payment_events e SET state = 'owed', note = 'to be refunded: what was given back has come back'
    WHERE e.payment = NEW.payment AND e.source IS NULL AND e.state = 'ignored' AND e.note = given_back;
  END IF;
  RETURN NULL;
END
$function$;
CREATE TRIGGER owed_settled AFTER INSERT OR UPDATE OF state, payment, source, returned ON {{schema}}.payment_events
  FOR EACH ROW WHEN (NEW.payment IS NOT NULL) EXECUTE FUNCTION {{schema}}.settle_owed_payment();

-- The references for which events wait.
CREATE TABLE {{schema}}.payment_waits (
  reference text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL REFERENCES {{schema}}.payment_events,
  PRIMARY KEY (reference, event_id)
);
CREATE INDEX payment_waits_of_event ON {{schema}}.payment_waits (event_id);

-- One row a person. Decisions about a person's payments are made under the lock of this row.
CREATE TABLE {{schema}}.billing_accounts (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  -- The customer for whom the provider's pages are opened.
  customer_id text,
  -- The plan that the credits follow: "FollowedPeriod" of the core.
  followed jsonb CHECK (jsonb_typeof(followed) = 'object'),
  -- Reports about payments of invoices: "InvoiceReport" of the core.
  invoice_reports jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(invoice_reports) = 'array'),
  -- True if an operator chose the tier: payment events do not change it.
  pinned boolean NOT NULL DEFAULT false,
  -- The number of purchases, and the digest of the newest.
  purchases bigint NOT NULL DEFAULT 0 CHECK (purchases >= 0),
  purchases_digest bytea,
  -- A digest of all columns above and of the person's subscriptions, so that a manipulation is detected.
  seal bytea,
  -- Changes with each change of the person's row or subscriptions, and never repeats a version from before an erasure.
  version bigint NOT NULL DEFAULT extract(epoch FROM clock_timestamp()) * 1000000,
  PRIMARY KEY (user_id)
);

CREATE TABLE {{schema}}.billing_subscriptions (
  user_id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C" NOT NULL CHECK (subscription_id <> ''),
  -- "SubscriptionFacts" of the core.
  facts jsonb NOT NULL CHECK (jsonb_typeof(facts) = 'object'),
  PRIMARY KEY (user_id, subscription_id)
);

-- One-time purchases of credits, by the checkout session that sold them.
CREATE TABLE {{schema}}.billing_purchases (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL CHECK (session_id <> ''),
  -- The payment that refunds and disputes name; null if there was nothing to pay.
  payment_id text COLLATE "C",
  price_id text NOT NULL,
  -- "granted" in whole credits; "paid" in the smallest unit of the currency.
  granted bigint NOT NULL CHECK (granted BETWEEN 1 AND 9007199254740991),
  paid bigint NOT NULL CHECK (paid BETWEEN 0 AND 9007199254740991),
  currency text NOT NULL,
  bought_at timestamptz NOT NULL,
  -- From 1 without gaps for each person.
  number bigint NOT NULL CHECK (number >= 1),
  -- A digest of all columns above and of the previous purchase's digest.
  digest bytea NOT NULL,
  PRIMARY KEY (user_id, session_id),
  UNIQUE (user_id, number)
);
CREATE INDEX billing_purchases_by_payment ON {{schema}}.billing_purchases (user_id, payment_id);

-- The content of a purchase as one text, independent of the session's settings.
CREATE FUNCTION {{schema}}.bought_text(
  user_id text, session_id text, payment_id text, price_id text, granted bigint, paid bigint, currency text,
  bought_at timestamptz, number bigint
) RETURNS text LANGUAGE sql STABLE
RETURN ROW(user_id, session_id, payment_id, price_id, granted, paid, currency, extract(epoch FROM bought_at), number)::text;

-- The digest of a person's row and subscriptions.
CREATE FUNCTION {{schema}}.billing_seal(a {{schema}}.billing_accounts) RETURNS bytea LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN sha256(convert_to(
    ROW(a.user_id, a.customer_id, a.followed, a.invoice_reports, a.pinned, a.purchases, encode(a.purchases_digest, 'hex'))::text
      || coalesce((
        SELECT string_agg(ROW(s.subscription_id, s.facts)::text, '' ORDER BY s.subscription_id)
        FROM {{schema}}.billing_subscriptions s WHERE s.user_id = a.user_id), ''), 'UTF8'));
END
$function$;

-- Updates the seal and the version of people whose rows were written.
CREATE FUNCTION {{schema}}.seal_billing(people text[]) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
  UPDATE {{schema}}.billing_accounts a SET seal = {{schema}}.billing_seal(a), version = a.version + 1
  WHERE a.user_id = ANY(people);
END
$function$;

-- Rows stay until the person is erased. Only payment events change accounts and subscriptions, and a purchase never
-- changes.
CREATE FUNCTION {{schema}}.refuse_billing_change() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF EXISTS (SELECT FROM {{schema}}.erasures WHERE transaction = pg_current_xact_id()) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'Rows of % follow from what the payment provider reported, and go with their person alone.', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$function$;
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON {{schema}}.billing_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_billing_change();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON {{schema}}.billing_subscriptions
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_billing_change();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON {{schema}}.billing_purchases
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_billing_change();

-- The owner of the first reference that has one, in the order of the array; 'erased:' if all owners are erased. In
-- PL/pgSQL, like the functions below, because a connection caches its plans.
CREATE FUNCTION {{schema}}.owner_of_references(refs text[]) RETURNS text LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN (
    SELECT r.owner FROM {{schema}}.payment_references r
    WHERE r.reference = ANY(refs) AND r.owner IS NOT NULL
    ORDER BY r.owner = 'erased:', array_position(refs, r.reference COLLATE "C") LIMIT 1
  );
END
$function$;

-- The reference that stands for the id of an erased person.
CREATE FUNCTION {{schema}}.erased_reference(person text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'person:' || encode(sha256(convert_to(person, 'UTF8')), 'hex');

-- The person of an event: the owner of its references, otherwise the person whose id the event contains; 'erased:' if
-- that person was erased. Null if the event identifies no person.
CREATE FUNCTION {{schema}}.person_of_payment(refs text[], claimed text) RETURNS text LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN coalesce({{schema}}.owner_of_references(refs),
    (SELECT r.owner FROM {{schema}}.payment_references r WHERE r.reference = {{schema}}.erased_reference(claimed)), claimed);
END
$function$;

-- Runs the payments and the erasure of one person one after another, until the transaction ends. Works before the
-- person has a row.
CREATE FUNCTION {{schema}}.lock_payments(person text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(person, 8061));
END
$function$;

-- The same person as "person_of_payment", under the lock of the person's payments. A transaction that waited for the
-- lock reads the owner again, because the previous holder may have erased the person or linked a reference.
CREATE FUNCTION {{schema}}.locked_person_of_payment(refs text[], claimed text) RETURNS text LANGUAGE plpgsql AS $function$
DECLARE
  person text;
  locked text;
BEGIN
  LOOP
    person := {{schema}}.person_of_payment(refs, claimed);
    IF person IS NULL OR person = 'erased:' OR person = locked THEN RETURN person; END IF;
    PERFORM {{schema}}.lock_payments(person);
    locked := person;
  END LOOP;
END
$function$;

-- The stored state of a person, for a decision. Null if the person has no row.
CREATE FUNCTION {{schema}}.billing_known(person text, by_session text, by_payment text) RETURNS json
LANGUAGE plpgsql STABLE AS $function$
BEGIN
  RETURN (
    SELECT json_build_object(
      'userId', a.user_id, 'customerId', a.customer_id, 'followed', a.followed, 'invoiceReports', a.invoice_reports,
      'pinned', a.pinned,
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

-- The stored state of a person, under the lock of the person's row.
CREATE FUNCTION {{schema}}.billing_account(person text, by_session text, by_payment text) RETURNS json LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM FROM {{schema}}.billing_accounts a WHERE a.user_id = person FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    INSERT INTO {{schema}}.billing_accounts (user_id) VALUES (person) ON CONFLICT DO NOTHING;
    IF FOUND THEN PERFORM {{schema}}.seal_billing(ARRAY[person]); END IF;
    PERFORM FROM {{schema}}.billing_accounts a WHERE a.user_id = person FOR NO KEY UPDATE;
  END IF;
  RETURN {{schema}}.billing_known(person, by_session, by_payment);
END
$function$;

-- The payment that an event is about: "EventPayment" of the core.
CREATE FUNCTION {{schema}}.payment_of_event(event json, OUT payment text, OUT source text, OUT returned boolean)
LANGUAGE sql IMMUTABLE AS $function$
SELECT event -> 'payment' ->> 'reference', event -> 'payment' -> 'report' ->> 'source',
  (event -> 'payment' -> 'report' ->> 'isReturned')::boolean
$function$;

-- Takes an event before all concurrent copies of it: the other copies wait here until the transaction ends, and then
-- find it known. If the event's person is found, this function writes nothing; "conclude_payment" writes the event
-- after the decision.
CREATE FUNCTION {{schema}}.receive_payment(
  event json, refs text[], claimed text, by_session text, by_payment text, again boolean, if_erased json,
  wrote_at timestamptz
) RETURNS json LANGUAGE plpgsql AS $function$
DECLARE
  id CONSTANT text := event ->> 'id';
  was record;
  person text;
  outcome text := 'waiting';
  why text := 'nobody is linked to its customer yet';
  content text := event ->> 'payload';
  about record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(id, 8060));
  SELECT e.state, e.note INTO was FROM {{schema}}.payment_events e WHERE e.event_id = id;
  IF FOUND AND NOT again AND was.state IN ('applied', 'ignored', 'owed') THEN
    RETURN json_build_object('found', 'Known', 'state', was.state, 'note', was.note);
  END IF;
  person := {{schema}}.locked_person_of_payment(refs, claimed);
  IF person IS NULL THEN
    -- A transaction that links one of these references now waits for the end of this one and then finds the event, or
    -- this one waits for it. References for which other events wait exist already, and the insertion does not lock
    -- them.
    INSERT INTO {{schema}}.payment_references (reference)
    SELECT r.reference FROM unnest(refs) AS r(reference) ORDER BY r.reference COLLATE "C"
    ON CONFLICT DO NOTHING;
    PERFORM FROM {{schema}}.payment_references r WHERE r.reference = ANY(refs) ORDER BY r.reference FOR SHARE;
    person := {{schema}}.locked_person_of_payment(refs, NULL);
  END IF;
  IF person IS NOT NULL AND person <> 'erased:' THEN
    RETURN json_build_object('found', 'Matched',
      'account', {{schema}}.billing_account(person, by_session, by_payment),
      'now', extract(epoch FROM coalesce(wrote_at, clock_timestamp())) * 1000);
  END IF;
  IF person = 'erased:' THEN
    outcome := if_erased ->> 'state';
    why := if_erased ->> 'note';
    content := NULL;
  END IF;
  SELECT * INTO about FROM {{schema}}.payment_of_event(CASE WHEN person = 'erased:' THEN event END);
  INSERT INTO {{schema}}.payment_events AS e (event_id, kind, created_at, received_at, customer_id, state, note, payment,
    source, returned, payload)
  VALUES (id, event ->> 'kind', to_timestamp((event ->> 'createdAt')::float8 / 1000),
    coalesce(wrote_at, clock_timestamp()), event ->> 'customerId', outcome, why, about.payment, about.source,
    about.returned, content)
  ON CONFLICT (event_id) DO UPDATE SET state = excluded.state, note = excluded.note, payment = excluded.payment,
    source = excluded.source, returned = excluded.returned, payload = excluded.payload
  WHERE again OR e.state NOT IN ('applied', 'ignored', 'owed');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The event was done meanwhile.' USING ERRCODE = 'serialization_failure';
  END IF;
  IF outcome = 'waiting' THEN
    INSERT INTO {{schema}}.payment_waits (reference, event_id) SELECT r.reference, id FROM unnest(refs) AS r(reference)
    ON CONFLICT DO NOTHING;
    RETURN json_build_object('found', 'Unmatched');
  END IF;
  DELETE FROM {{schema}}.payment_waits w WHERE w.event_id = id;
  -- The event's other references also belong to the erased person, and so does its payment, which is the only reference
  -- of a dispute.
  RETURN json_build_object('found', 'Erased',
    'waiting', {{schema}}.link_payments('erased:', array_remove(refs || about.payment, NULL), id));
END
$function$;

-- Links references to people, and returns those that were linked to no person before.
CREATE FUNCTION {{schema}}.link_references(links json) RETURNS text[] LANGUAGE plpgsql AS $function$
DECLARE
  fresh text[];
BEGIN
  WITH linked AS (
    INSERT INTO {{schema}}.payment_references AS r (reference, owner)
    SELECT DISTINCT ON (g.reference COLLATE "C") g.reference COLLATE "C", g.person
    FROM json_to_recordset(links) AS g(reference text, person text)
    WHERE NOT EXISTS (
      SELECT FROM {{schema}}.payment_references k WHERE k.reference = g.reference AND k.owner IS NOT NULL)
    ORDER BY 1
    ON CONFLICT (reference) DO UPDATE SET owner = excluded.owner WHERE r.owner IS NULL
    RETURNING r.reference
  )
  SELECT array_agg(l.reference) INTO fresh FROM linked l;
  RETURN fresh;
END
$function$;

-- The events that wait for one of some references, oldest first. Volatile, so that it sees the events that were committed while
-- the caller waited to link the references.
CREATE FUNCTION {{schema}}.waiting_payments(refs text[], besides text) RETURNS json LANGUAGE plpgsql AS $function$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object('id', e.event_id, 'kind', e.kind,
      'createdAt', extract(epoch FROM e.created_at) * 1000, 'receivedAt', extract(epoch FROM e.received_at) * 1000,
      'customerId', e.customer_id, 'userId', e.owner, 'state', e.state, 'note', e.note, 'payload', e.payload)
      ORDER BY e.created_at, e.event_id), '[]')
    FROM {{schema}}.payment_events e
    WHERE e.state = 'waiting' AND e.event_id IS DISTINCT FROM besides
      AND e.event_id IN (SELECT w.event_id FROM {{schema}}.payment_waits w WHERE w.reference = ANY(refs))
  );
END
$function$;

-- Links references to a person, and returns the events that waited for the newly linked ones.
CREATE FUNCTION {{schema}}.link_payments(person text, links text[], besides text) RETURNS json LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN {{schema}}.waiting_payments({{schema}}.link_references((
    SELECT json_agg(json_build_object('reference', l.reference, 'person', person)) FROM unnest(links) AS l(reference))),
    besides);
END
$function$;

-- Writes decided events with their consequences: subscriptions, purchases (at most one a person), plans, links. Returns the
-- references that were linked to no person before. The only function that writes them, for one event and for many. Fails
-- with 40001 if an event is done already, unless the event is marked as applied again: the caller's next try finds the
-- event known. The advisory locks of the callers prevent this; the row's own state holds without them.
CREATE FUNCTION {{schema}}.write_payments(events json, known json, subscriptions json, bought json, links json)
RETURNS text[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  written bigint;
BEGIN
  INSERT INTO {{schema}}.payment_events AS e (event_id, kind, created_at, received_at, customer_id, owner, state, note,
    payment, source, returned, payload)
  SELECT g.id, g.kind, to_timestamp(g.created_at / 1000), coalesce(g.received_at, clock_timestamp()), g.customer_id,
    g.person, g.state, g.note, g.payment, g.source, g.returned, g.payload
  FROM json_to_recordset(events) AS g(id text, kind text, created_at float8, received_at timestamptz, customer_id text,
    person text, state text, note text, payment text, source text, returned boolean, payload text)
  ON CONFLICT (event_id) DO UPDATE
  SET owner = excluded.owner, state = excluded.state, note = excluded.note, payment = excluded.payment,
    source = excluded.source, returned = excluded.returned
  WHERE e.state NOT IN ('applied', 'ignored', 'owed')
    OR e.event_id IN (SELECT a.id FROM json_to_recordset(events) AS a(id text, again boolean) WHERE a.again);
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> json_array_length(events) THEN
    RAISE EXCEPTION 'An event is done already.' USING ERRCODE = 'serialization_failure';
  END IF;
  IF subscriptions IS NOT NULL THEN
    INSERT INTO {{schema}}.billing_subscriptions AS s (user_id, subscription_id, facts)
    SELECT g.person, g.facts ->> 'id', g.facts FROM json_to_recordset(subscriptions) AS g(person text, facts jsonb)
    ON CONFLICT (user_id, subscription_id) DO UPDATE SET facts = excluded.facts WHERE s.facts <> excluded.facts;
  END IF;
  IF bought IS NOT NULL THEN
    INSERT INTO {{schema}}.billing_purchases (user_id, session_id, payment_id, price_id, granted, paid, currency, bought_at,
      number, digest)
    SELECT g.person, g.session_id, g.payment_id, g.price_id, g.granted, g.paid, g.currency, to_timestamp(g.bought_at / 1000),
      b.purchases + 1, {{schema}}.link_digest(b.purchases_digest, {{schema}}.bought_text(g.person, g.session_id, g.payment_id,
        g.price_id, g.granted, g.paid, g.currency, to_timestamp(g.bought_at / 1000), b.purchases + 1))
    FROM json_to_recordset(bought) AS g(person text, session_id text, payment_id text, price_id text, granted bigint,
      paid bigint, currency text, bought_at float8)
    JOIN {{schema}}.billing_accounts b ON b.user_id = g.person;
  END IF;
  UPDATE {{schema}}.billing_accounts a
  SET followed = coalesce(g.followed, a.followed), customer_id = coalesce(a.customer_id, g.customer),
    invoice_reports = coalesce(g.reports, a.invoice_reports),
    (purchases, purchases_digest) = (
      SELECT coalesce(p.number, a.purchases), coalesce(p.digest, a.purchases_digest)
      FROM (VALUES (1)) one LEFT JOIN {{schema}}.billing_purchases p ON p.user_id = a.user_id AND p.number = a.purchases + 1)
  FROM json_to_recordset(known) AS g(person text, followed jsonb, customer text, reports jsonb)
  WHERE a.user_id = g.person;
  PERFORM {{schema}}.seal_billing(ARRAY(SELECT g.person FROM json_to_recordset(known) AS g(person text)));
  IF links IS NULL THEN RETURN NULL; END IF;
  RETURN {{schema}}.link_references(links);
END
$function$;

-- Writes the consequences of one event, under the lock of its person. Returns the events that waited for its new links.
CREATE FUNCTION {{schema}}.conclude_payment(
  id text, waits_for text[], events json, known json, subscriptions json, bought json, links json
) RETURNS json LANGUAGE plpgsql AS $function$
DECLARE
  fresh text[];
BEGIN
  fresh := {{schema}}.write_payments(events, known, subscriptions, bought, links);
  DELETE FROM {{schema}}.payment_waits w WHERE w.event_id = id;
  INSERT INTO {{schema}}.payment_waits (reference, event_id)
  SELECT r.reference, id FROM unnest(waits_for) AS r(reference) ON CONFLICT DO NOTHING;
  RETURN {{schema}}.waiting_payments(fresh, id);
END
$function$;

-- Stores an event of no known person, without its content if its customer was erased. If the event came before and is
-- done, returns its first outcome.
CREATE FUNCTION {{schema}}.keep_payment(event json, outcome text, why text, wrote_at timestamptz) RETURNS json
LANGUAGE plpgsql AS $function$
DECLARE
  kept record;
  is_erased CONSTANT boolean := 'erased:'
    = {{schema}}.locked_person_of_payment(ARRAY['customer:' || (event ->> 'customerId')], NULL);
BEGIN
  INSERT INTO {{schema}}.payment_events AS e (event_id, kind, created_at, received_at, customer_id, state, note, payload)
  VALUES (event ->> 'id', event ->> 'kind', to_timestamp((event ->> 'createdAt')::float8 / 1000),
    coalesce(wrote_at, clock_timestamp()), event ->> 'customerId', outcome, why,
    CASE WHEN is_erased THEN NULL ELSE event ->> 'payload' END)
  ON CONFLICT (event_id) DO UPDATE SET state = excluded.state, note = excluded.note
    WHERE e.state NOT IN ('applied', 'ignored', 'owed');
  SELECT e.state, e.note INTO kept FROM {{schema}}.payment_events e WHERE e.event_id = event ->> 'id';
  RETURN json_build_object('state', kept.state, 'note', kept.note);
END
$function$;

-- Records that an operator chose a person's tier, and the plan that the credits follow then; a null leaves that value
-- unchanged. Returns the person's state; the row stays locked until the transaction ends.
CREATE FUNCTION {{schema}}.pin_tier(person text, pin boolean, plan jsonb) RETURNS json LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM {{schema}}.lock_payments(person);
  PERFORM {{schema}}.billing_account(person, NULL, NULL);
  UPDATE {{schema}}.billing_accounts a
  SET pinned = coalesce(pin, a.pinned), followed = coalesce(plan, a.followed)
  WHERE a.user_id = person;
  PERFORM {{schema}}.seal_billing(ARRAY[person]);
  RETURN {{schema}}.billing_known(person, NULL, NULL);
END
$function$;

-- Links a customer to a person who has none, or who has "replaced". Refuses a customer who belongs to another person.
CREATE FUNCTION {{schema}}.link_customer(person text, customer text, replaced text) RETURNS json LANGUAGE plpgsql
AS $function$
DECLARE
  current text;
BEGIN
  PERFORM {{schema}}.lock_payments(person);
  current := {{schema}}.billing_account(person, NULL, NULL) ->> 'customerId';
  IF current IS NOT NULL AND current IS DISTINCT FROM replaced THEN
    RETURN json_build_object('customerId', current, 'waiting', '[]'::json);
  END IF;
  IF {{schema}}.owner_of_references(ARRAY['customer:' || customer]) <> person THEN
    RETURN json_build_object('customerId', NULL, 'waiting', '[]'::json);
  END IF;
  UPDATE {{schema}}.billing_accounts a SET customer_id = customer WHERE a.user_id = person;
  PERFORM {{schema}}.seal_billing(ARRAY[person]);
  RETURN json_build_object('customerId', customer,
    'waiting', {{schema}}.link_payments(person, ARRAY['customer:' || customer], NULL));
END
$function$;

-- People read their own rows and change none; the inbox belongs to the service alone.
ALTER TABLE {{schema}}.billing_accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.billing_accounts FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.billing_accounts TO parley_service USING (true);

ALTER TABLE {{schema}}.billing_subscriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.billing_subscriptions FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.billing_subscriptions TO parley_service USING (true);

ALTER TABLE {{schema}}.billing_purchases ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.billing_purchases FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.billing_purchases TO parley_service USING (true);

ALTER TABLE {{schema}}.payment_references ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.payment_references TO parley_service USING (true);
ALTER TABLE {{schema}}.payment_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.payment_events TO parley_service USING (true);
ALTER TABLE {{schema}}.payment_waits ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.payment_waits TO parley_service USING (true);
