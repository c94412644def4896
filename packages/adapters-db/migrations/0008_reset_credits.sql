-- Billing periods by the rules of "periodStart" and "periodAt" in the core, in UTC whatever the session's time zone.
-- Postgres also clamps to the last day of a month.
CREATE FUNCTION {{schema}}.period_start(anchor timestamptz, number integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE
RETURN (anchor AT TIME ZONE 'UTC' + make_interval(months => number)) AT TIME ZONE 'UTC';

-- The months of a time since the year 0.
CREATE FUNCTION {{schema}}.month_of(moment timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE
RETURN (date_part('year', moment AT TIME ZONE 'UTC') * 12 + date_part('month', moment AT TIME ZONE 'UTC'))::integer;

-- The number of the period of an anchor that contains a time; 0 before the anchor.
CREATE FUNCTION {{schema}}.period_number(anchor timestamptz, moment timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE
RETURN greatest(0, {{schema}}.month_of(moment) - {{schema}}.month_of(anchor)
  - ({{schema}}.period_start(anchor, {{schema}}.month_of(moment) - {{schema}}.month_of(anchor)) > moment)::integer);

-- The transaction of a reset, still without its digest. It names its columns, so that a column that is added later stays
-- null.
CREATE FUNCTION {{schema}}.reset_transaction(
  user_id text, number bigint, amount bigint, allowance_amount bigint, balance_after bigint, reference text,
  created_at timestamptz, allowance_after bigint, topup_after bigint, type_number bigint, previous bigint, tier text,
  renewed_by text, renewed_until timestamptz, anchor timestamptz, period_start timestamptz, next_reset_at timestamptz,
  period_credits bigint
) RETURNS {{schema}}.credit_transactions LANGUAGE plpgsql STABLE AS $function$
DECLARE
  t {{schema}}.credit_transactions;
BEGIN
  t.user_id := user_id; t.number := number; t.type := 'reset';
  t.amount := amount; t.allowance_amount := allowance_amount; t.topup_amount := 0; t.balance_after := balance_after;
  t.reference := reference; t.created_at := created_at;
  t.allowance_after := allowance_after; t.topup_after := topup_after;
  t.type_number := type_number; t.previous := previous;
  t.tier := tier; t.renewed_by := renewed_by; t.renewed_until := renewed_until; t.anchor := anchor;
  t.period_start := period_start; t.next_reset_at := next_reset_at; t.period_credits := period_credits;
  RETURN t;
END
$function$;

-- The monthly reset of the due accounts after "after", up to "upto", in the order of their users: "decideReset" of the
-- core, over many accounts at once. It is a function so that each connection plans it once.
--
-- It skips accounts that another transaction has locked, so that a chunk does not wait, and accounts whose tier has no
-- allowance. Decisions use rows that were read after they were locked, and are dated by the database's clock unless
-- "wrote_at" is given. The order of the key keeps the rows and index entries of a chunk close together. A dry run locks
-- and writes nothing. Returns the number of skipped accounts, and the results for each tier.
CREATE FUNCTION {{schema}}.reset_credits(
  as_of timestamptz, allowances jsonb, after text, upto text, wrote_at timestamptz, dry_run boolean,
  OUT busy integer, OUT tiers json
) LANGUAGE plpgsql
SET jit = off
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  taken text[];
  written_at timestamptz := coalesce(wrote_at, clock_timestamp());
BEGIN
  IF dry_run THEN
    taken := ARRAY(
      SELECT a.user_id FROM {{schema}}.credit_accounts a
      WHERE a.renewed_by = 'schedule' AND a.next_reset_at <= as_of
        AND (a.renewed_until IS NULL OR a.next_reset_at < a.renewed_until) AND a.user_id > after AND a.user_id <= upto
        AND allowances ? coalesce(a.pending_tier, a.tier)
      ORDER BY a.user_id
    );
  ELSE
    taken := ARRAY(
      SELECT a.user_id FROM {{schema}}.credit_accounts a
      WHERE a.renewed_by = 'schedule' AND a.next_reset_at <= as_of
        AND (a.renewed_until IS NULL OR a.next_reset_at < a.renewed_until) AND a.user_id > after AND a.user_id <= upto
        AND allowances ? coalesce(a.pending_tier, a.tier)
      ORDER BY a.user_id FOR UPDATE SKIP LOCKED
    );
  END IF;
  SELECT greatest(0, count(*) - cardinality(taken)) INTO busy FROM {{schema}}.credit_accounts a
  WHERE a.renewed_by = 'schedule' AND a.next_reset_at <= as_of
        AND (a.renewed_until IS NULL OR a.next_reset_at < a.renewed_until) AND a.user_id > after AND a.user_id <= upto;

  WITH numbered AS MATERIALIZED (
    SELECT a.*, coalesce(a.pending_tier, a.tier) AS new_tier, {{schema}}.period_number(a.anchor,
      least(as_of, a.renewed_until - interval '1 millisecond')) AS number
    FROM {{schema}}.credit_accounts a WHERE a.user_id = ANY(taken)
  ), dated AS MATERIALIZED (
    SELECT n.*, (allowances ->> n.new_tier)::bigint AS plan, {{schema}}.period_start(n.anchor, n.number) AS new_start,
      {{schema}}.period_start(n.anchor, n.number + 1) AS new_end
    FROM numbered n
  ), keyed AS MATERIALIZED (
    SELECT d.*, 'period:' || d.user_id || ':' || to_char(d.new_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      AS key
    FROM dated d
  ), planned AS MATERIALIZED (
    SELECT k.*, u.used IS NULL AS fresh, k.allowance - k.held_allowance AS expired, least(k.debt, k.plan) AS repaid,
      least(k.plan - least(k.debt, k.plan), 9007199254740991 - k.held_allowance - k.topup) AS added
    FROM keyed k LEFT JOIN LATERAL (
      SELECT true AS used FROM {{schema}}.credit_idempotency WHERE user_id = k.user_id AND key = k.key LIMIT 1
    ) u ON true
  ), updated AS (
    UPDATE {{schema}}.credit_accounts a
    SET tier = p.new_tier, pending_tier = NULL, period_start = p.new_start, next_reset_at = p.new_end,
      period_credits = CASE WHEN p.fresh THEN p.plan ELSE greatest(p.period_credits, p.plan) END,
      allowance = CASE WHEN p.fresh THEN p.held_allowance + p.added ELSE p.allowance END,
      debt = CASE WHEN p.fresh THEN p.debt - p.repaid ELSE p.debt END,
      transaction_count = p.transaction_count + 1, version = p.version + 1, terms_transaction = p.transaction_count + 1,
      -- The counts of "reset", which is the second type.
      by_type[3:4] = ARRAY[p.by_type[3] + 1, p.transaction_count + 1]
    FROM planned p WHERE a.user_id = p.user_id AND NOT dry_run
  ), written AS MATERIALIZED (
    -- If the period's key was used before, only the dates change; that has a transaction, too.
    SELECT {{schema}}.reset_transaction(p.user_id, p.transaction_count + 1,
      CASE WHEN p.fresh THEN p.added + p.repaid - p.expired ELSE 0 END, CASE WHEN p.fresh THEN p.added - p.expired ELSE 0 END,
      CASE WHEN p.fresh THEN p.held_allowance + p.added + p.topup - p.debt + p.repaid ELSE p.allowance + p.topup - p.debt END,
      CASE WHEN p.fresh THEN p.key ELSE 'moved:' || p.key END, written_at,
      CASE WHEN p.fresh THEN p.held_allowance + p.added ELSE p.allowance END, p.topup, p.by_type[3] + 1, p.by_type[4],
      p.new_tier, p.renewed_by, p.renewed_until, p.anchor, p.new_start, p.new_end,
      CASE WHEN p.fresh THEN p.plan ELSE greatest(p.period_credits, p.plan) END) AS entry
    FROM planned p WHERE NOT dry_run
  ), entered AS (
    -- The planner inlines "transaction_text" if its argument is a column, but not if it is an expression. So "written"
    -- builds the row first.
    INSERT INTO {{schema}}.credit_transactions
    SELECT s.* FROM written w CROSS JOIN LATERAL {{schema}}.with_digest(w.entry, {{schema}}.link_digest(
      (SELECT l.digest FROM {{schema}}.credit_transactions l
        WHERE l.user_id = (w.entry).user_id AND l.number = (w.entry).number - 1),
      {{schema}}.transaction_text(w.entry))) s
  ), remembered AS (
    INSERT INTO {{schema}}.credit_idempotency (user_id, key, fingerprint, used_at, number)
    SELECT p.user_id, p.key, 'period', written_at, p.transaction_count + 1 FROM planned p WHERE p.fresh AND NOT dry_run
  )
  SELECT json_object_agg(t.tier, t.counted) INTO tiers FROM (
    SELECT p.new_tier AS tier, json_build_object('accounts', count(*), 'granted', sum(p.added + p.repaid),
      'repaid', sum(p.repaid), 'expired', sum(p.expired)) AS counted
    FROM planned p WHERE p.fresh GROUP BY p.new_tier
  ) t;
END
$function$;

-- Compiling a plan takes milliseconds, and running it one: without this setting the planner would compile if tables
-- have grown and shrunk.
ALTER FUNCTION {{schema}}.write_credits(json, text[], json, json, json, json, json, json, json, json, float8) SET jit = off;
ALTER FUNCTION {{schema}}.prove_transactions() SET jit = off;
