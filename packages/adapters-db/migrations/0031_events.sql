-- Events for hooks and webhooks. Triggers write them, in the transaction of the change, for every writer: replies,
-- sweeps, resets, payments, and transactions of the application. If there is no destination, nothing is written; that
-- check reads an empty table once for each statement that writes transactions.

-- The destinations and the events to which they subscribe. Stored here, so that all processes agree, including those
-- without hooks.
CREATE TABLE {{schema}}.event_destinations (
  -- "hook:<name>" or "webhook:<host>#<digest of its address>".
  id text COLLATE "C" PRIMARY KEY CHECK (char_length(id) BETWEEN 1 AND 400),
  -- The subscribed types, and for each the time when a process last asked for it.
  asked_at jsonb NOT NULL,
  -- For each tier, the thresholds of a low balance, and for each the time when a process last asked for it.
  low_below jsonb,
  -- When a process that delivers to this destination last renewed it.
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- When the endpoint answered 410 Gone; delivery is disabled since then. Otherwise null.
  disabled_at timestamptz
);
ALTER TABLE {{schema}}.event_destinations ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.event_destinations TO parley_service USING (true);

-- An event on its way to one destination. The row is deleted some time after the delivery has ended.
CREATE TABLE {{schema}}.event_deliveries (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  -- The same for all destinations and all tries.
  event_id text COLLATE "C" NOT NULL CHECK (event_id <> ''),
  destination text COLLATE "C" NOT NULL,
  type text NOT NULL,
  created_at timestamptz NOT NULL,
  data jsonb NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
  -- Time of the next try; while the delivery is claimed, the end of the claim.
  due_at timestamptz NOT NULL DEFAULT now(),
  claim text,
  ended_at timestamptz,
  -- The reason why the last try failed, as a code.
  reason text,
  PRIMARY KEY (user_id, event_id, destination),
  CHECK ((state = 'pending') = (ended_at IS NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- These indexes are read often, so they contain only pending deliveries and those to delete.
CREATE INDEX event_deliveries_due ON {{schema}}.event_deliveries (destination, due_at) WHERE state = 'pending';
CREATE INDEX event_deliveries_ended ON {{schema}}.event_deliveries (state, ended_at) WHERE state <> 'pending';

ALTER TABLE {{schema}}.event_deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.event_deliveries TO parley_service USING (true);

-- Accounts whose balance was below its threshold after its last change.
CREATE TABLE {{schema}}.low_balances (
  user_id text COLLATE "C" PRIMARY KEY CHECK (char_length(user_id) BETWEEN 1 AND 255)
);
ALTER TABLE {{schema}}.low_balances ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.low_balances TO parley_service USING (true);

-- "publishTransactionEvents" of the core, over the rows of a statement. Plans stay in use while tables grow, so they
-- are restricted to look-ups by key.
CREATE FUNCTION {{schema}}.tell_transactions() RETURNS trigger LANGUAGE plpgsql
SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  wanted text[];
  below jsonb;
BEGIN
  SELECT array_agg(t.type) INTO wanted
  FROM {{schema}}.event_destinations d CROSS JOIN LATERAL jsonb_object_keys(d.asked_at) AS t(type) WHERE d.disabled_at IS NULL;
  IF wanted IS NULL THEN RETURN NULL; END IF;

  IF ARRAY['reply.finished', 'credits.charged', 'credits.purchased', 'credits.refunded'] && wanted THEN
    WITH events AS MATERIALIZED (
      SELECT i.user_id, {{schema}}.new_event_id() AS id, 'reply.finished' AS type, i.created_at,
        jsonb_strip_nulls(jsonb_build_object('account', i.user_id, 'source', i.source,
          'replyId', regexp_replace(i.reference, '^reply:', ''), 'chatId', i.receipt -> 'chatId',
          'model', i.receipt -> 'model', 'finish', i.receipt -> 'ended', 'tokens', i.receipt -> 'usage',
          'estimated', i.receipt -> 'estimated', 'credits', i.receipt -> 'charged')) AS data
      FROM inserted i
      -- The hold for the rest of a reply gets no event of its own: the reply was reported already.
      WHERE i.source IS NOT NULL AND i.receipt ? 'model' AND i.reference !~ ':rest:[0-9]+$' AND 'reply.finished' = ANY(wanted)
      UNION ALL
      SELECT i.user_id, {{schema}}.new_event_id(), 'credits.charged', i.created_at,
        jsonb_strip_nulls(jsonb_build_object('account', i.user_id, 'credits', -i.amount, 'balance', i.balance_after,
          'key', i.reference, 'source', i.source, 'model', i.receipt -> 'model'))
      FROM inserted i
      WHERE i.source IS NOT NULL AND i.amount < 0 AND 'credits.charged' = ANY(wanted)
      UNION ALL
      SELECT i.user_id, {{schema}}.new_event_id(), t.type, i.created_at,
        jsonb_strip_nulls(jsonb_build_object('account', i.user_id, 'credits', CASE i.type WHEN 'refund' THEN -i.amount ELSE i.amount END,
          'balance', i.balance_after, 'key', i.reference, 'payment', i.charge))
      FROM inserted i
      CROSS JOIN LATERAL (SELECT CASE i.type WHEN 'refund' THEN 'credits.refunded' ELSE 'credits.purchased' END AS type) t
      WHERE i.type IN ('topup', 'refund') AND i.amount <> 0 AND t.type = ANY(wanted)
    )
    INSERT INTO {{schema}}.event_deliveries (user_id, event_id, destination, type, created_at, data)
    SELECT e.user_id, e.id, d.id, e.type, e.created_at, e.data FROM events e
    JOIN {{schema}}.event_destinations d ON d.disabled_at IS NULL AND d.asked_at ? e.type;
  END IF;

  IF 'balance.low' <> ALL(wanted) THEN RETURN NULL; END IF;
  -- The highest threshold that any process asks for: if configurations differ, the order in which processes ask does
  -- not matter.
  SELECT jsonb_object_agg(l.tier, l.threshold) INTO below FROM (
    SELECT a.tier, max(k.threshold::bigint) AS threshold FROM {{schema}}.event_destinations d
    CROSS JOIN LATERAL jsonb_each(d.low_below) AS a(tier, asked)
    CROSS JOIN LATERAL jsonb_object_keys(a.asked) AS k(threshold)
    WHERE d.disabled_at IS NULL AND d.asked_at ? 'balance.low' GROUP BY a.tier
  ) l;
  IF below IS NULL THEN RETURN NULL; END IF;
  -- A balance is low if it is below the threshold. An event is written if the balance was not low after its last
  -- change, or was not below this threshold.
  WITH moved AS MATERIALIZED (
    SELECT i.user_id, i.number, i.created_at, i.balance_after, a.tier, t.threshold, i.balance_after < t.threshold AS is_low,
      i.balance_after - i.amount < t.threshold
        AND (lag(i.number) OVER account IS NOT NULL OR l.user_id IS NOT NULL) AS was_low,
      lead(i.number) OVER account IS NULL AS is_last
    FROM inserted i
    JOIN {{schema}}.credit_accounts a ON a.user_id = i.user_id
    -- A tier without a threshold here was added since; a process that subscribes later brings its threshold.
    CROSS JOIN LATERAL (SELECT (below ->> a.tier)::bigint AS threshold) t
    LEFT JOIN {{schema}}.low_balances l ON l.user_id = i.user_id
    WHERE t.threshold IS NOT NULL
    WINDOW account AS (PARTITION BY i.user_id ORDER BY i.number)
  ), begun AS (
    INSERT INTO {{schema}}.low_balances (user_id) SELECT m.user_id FROM moved m WHERE m.is_last AND m.is_low
    ON CONFLICT DO NOTHING
  ), ended AS (
    DELETE FROM {{schema}}.low_balances l USING moved m WHERE l.user_id = m.user_id AND m.is_last AND NOT m.is_low
  ), events AS MATERIALIZED (
    SELECT m.user_id, {{schema}}.new_event_id() AS id, m.created_at, jsonb_build_object('account', m.user_id,
      'balance', m.balance_after, 'threshold', m.threshold, 'tier', m.tier) AS data
    FROM moved m WHERE m.is_low AND NOT m.was_low
  )
  INSERT INTO {{schema}}.event_deliveries (user_id, event_id, destination, type, created_at, data)
  SELECT e.user_id, e.id, d.id, 'balance.low', e.created_at, e.data FROM events e
  JOIN {{schema}}.event_destinations d ON d.disabled_at IS NULL AND d.asked_at ? 'balance.low';
  RETURN NULL;
END
$function$;

-- The id of an event: a random one.
CREATE FUNCTION {{schema}}.new_event_id() RETURNS text LANGUAGE sql VOLATILE
RETURN 'evt_' || replace(gen_random_uuid()::text, '-', '');

CREATE TRIGGER transactions_told AFTER INSERT ON {{schema}}.credit_transactions
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.tell_transactions();

-- "tellPlan" of the core.
CREATE FUNCTION {{schema}}.tell_plan() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO {{schema}}.event_deliveries (user_id, event_id, destination, type, created_at, data)
  SELECT NEW.user_id, e.id, d.id, 'plan.changed', clock_timestamp(),
    jsonb_build_object('account', NEW.user_id, 'tier', NEW.tier, 'previousTier', OLD.tier)
  FROM (SELECT {{schema}}.new_event_id() AS id OFFSET 0) e
  JOIN {{schema}}.event_destinations d ON d.disabled_at IS NULL AND d.asked_at ? 'plan.changed';
  RETURN NULL;
END
$function$;
CREATE TRIGGER plan_told AFTER UPDATE OF tier ON {{schema}}.credit_accounts FOR EACH ROW
  WHEN (NEW.tier <> OLD.tier)
  EXECUTE FUNCTION {{schema}}.tell_plan();

-- "documentEvent" of the core.
CREATE FUNCTION {{schema}}.tell_document() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  told CONSTANT text := 'document.' || NEW.status;
BEGIN
  INSERT INTO {{schema}}.event_deliveries (user_id, event_id, destination, type, created_at, data)
  SELECT NEW.user_id, e.id, d.id, told, clock_timestamp(),
    jsonb_strip_nulls(jsonb_build_object('account', NEW.user_id, 'documentId', NEW.id, 'filename', NEW.filename)
      || CASE NEW.status WHEN 'ready' THEN jsonb_build_object('pages', NEW.pages, 'passages', NEW.passages)
        ELSE jsonb_build_object('reason', NEW.reason_code) END)
  FROM (SELECT {{schema}}.new_event_id() AS id OFFSET 0) e
  JOIN {{schema}}.event_destinations d ON d.disabled_at IS NULL AND d.asked_at ? told;
  RETURN NULL;
END
$function$;
CREATE TRIGGER document_told AFTER UPDATE OF status ON {{schema}}.documents FOR EACH ROW
  WHEN (NEW.status <> OLD.status AND NEW.status IN ('ready', 'failed'))
  EXECUTE FUNCTION {{schema}}.tell_document();
