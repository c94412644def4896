-- compatible from 0032
-- Work over all people passes over the rows that their cell refuses to change: those that owners left who live in another
-- cell, and those of owners who are being moved. There may be many of them.

-- It says at once if there is no such owner.
DROP INDEX {{schema}}.moved_owners_unfinished;
CREATE INDEX moved_owners_unfinished ON {{schema}}.moved_owners (at)
  WHERE remains OR state IN ('moving', 'arriving', 'leaving');
-- Moves to be ended, which are few among the owners whose rows are to be erased.
CREATE INDEX moved_owners_moving ON {{schema}}.moved_owners (at) WHERE state IN ('moving', 'arriving');

-- As before, but without accounts that were moved or are being moved.
CREATE OR REPLACE FUNCTION {{schema}}.reset_credits(
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
      WHERE a.moved IS NULL AND a.renewed_by = 'schedule' AND a.next_reset_at <= as_of
        AND (a.renewed_until IS NULL OR a.next_reset_at < a.renewed_until) AND a.user_id > after AND a.user_id <= upto
        AND allowances ? coalesce(a.pending_tier, a.tier)
      ORDER BY a.user_id
    );
  ELSE
    taken := ARRAY(
      SELECT a.user_id FROM {{schema}}.credit_accounts a
      WHERE a.moved IS NULL AND a.renewed_by = 'schedule' AND a.next_reset_at <= as_of
        AND (a.renewed_until IS NULL OR a.next_reset_at < a.renewed_until) AND a.user_id > after AND a.user_id <= upto
        AND allowances ? coalesce(a.pending_tier, a.tier)
      ORDER BY a.user_id FOR UPDATE SKIP LOCKED
    );
  END IF;
  SELECT greatest(0, count(*) - cardinality(taken)) INTO busy FROM {{schema}}.credit_accounts a
  WHERE a.moved IS NULL AND a.renewed_by = 'schedule' AND a.next_reset_at <= as_of
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

-- As before, but without replies whose owner was moved or is being moved.
CREATE OR REPLACE FUNCTION {{schema}}.end_dead_turns() RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  none_left CONSTANT boolean := (
    SELECT max(m.at) FROM {{schema}}.moved_owners m WHERE m.remains OR m.state IN ('moving', 'arriving', 'leaving')
  ) IS NULL;
BEGIN
  WITH found AS MATERIALIZED (
    SELECT r.user_id, r.bot, r.visitor, r.chat_id, r.reply_id, r.payer, r.hold_key FROM {{schema}}.running_replies r
    WHERE NOT EXISTS (SELECT FROM {{schema}}.credit_holds h WHERE h.user_id = r.payer AND h.key = r.hold_key)
      AND (none_left OR (SELECT true FROM {{schema}}.moved_owners m
        WHERE m.person = r.user_id AND (m.remains OR m.state IN ('moving', 'arriving', 'leaving'))) IS NULL)
  ), chat AS MATERIALIZED (
    SELECT c.user_id, c.bot, c.visitor, c.id AS chat_id FROM {{schema}}.chats c
    WHERE (c.user_id, c.bot, c.visitor, c.id) IN (SELECT user_id, bot, visitor, chat_id FROM found)
    FOR NO KEY UPDATE SKIP LOCKED
  ), dead AS (
    DELETE FROM {{schema}}.running_replies r USING found f JOIN chat USING (user_id, bot, visitor, chat_id)
    WHERE r.user_id = f.user_id AND r.bot = f.bot AND r.visitor = f.visitor AND r.chat_id = f.chat_id
      AND r.reply_id = f.reply_id AND r.payer = f.payer AND r.hold_key = f.hold_key
    RETURNING r.user_id, r.bot, r.visitor, r.chat_id, r.reply_id
  ), whole AS (
    SELECT d.*, (
      SELECT coalesce(string_agg(t.text, '' ORDER BY t.start_offset), '') FROM {{schema}}.running_reply_texts t
      WHERE t.user_id = d.user_id AND t.bot = d.bot AND t.visitor = d.visitor AND t.chat_id = d.chat_id
        AND t.reply_id = d.reply_id
    ) AS content FROM dead d
  ), known AS (
    -- If the process was alive, an earlier sweep may have ended the reply already: its message then has failed with a
    -- shorter text.
    SELECT w.*, octet_length(m.content) AS counted FROM whole w JOIN {{schema}}.messages m
      ON m.user_id = w.user_id AND m.bot = w.bot AND m.visitor = w.visitor AND m.chat_id = w.chat_id AND m.id = w.reply_id
    WHERE m.state = 'streaming' OR (m.state = 'failed' AND octet_length(w.content) > octet_length(m.content))
  ), ended AS (
    UPDATE {{schema}}.messages m SET content = k.content, state = 'failed' FROM known k
    WHERE m.user_id = k.user_id AND m.bot = k.bot AND m.visitor = k.visitor AND m.chat_id = k.chat_id
      AND m.id = k.reply_id
    RETURNING m.user_id, m.bot, m.visitor, m.chat_id, octet_length(m.content) - k.counted AS bytes
  )
  UPDATE {{schema}}.chats c SET bytes = c.bytes + e.bytes
  FROM (SELECT user_id, bot, visitor, chat_id, sum(bytes) AS bytes FROM ended GROUP BY user_id, bot, visitor, chat_id) e
  WHERE c.user_id = e.user_id AND c.bot = e.bot AND c.visitor = e.visitor AND c.id = e.chat_id;
END
$function$;

-- As before, but without done events whose owner was moved or is being moved.
CREATE OR REPLACE FUNCTION {{schema}}.forget_payments(done_before timestamptz, unmatched_before timestamptz, page integer) RETURNS json
LANGUAGE plpgsql AS $function$
DECLARE
  none_left CONSTANT boolean := (
    SELECT max(m.at) FROM {{schema}}.moved_owners m WHERE m.remains OR m.state IN ('moving', 'arriving', 'leaving')
  ) IS NULL;
  reduced bigint;
  old text[];
  freed text[];
BEGIN
  WITH done AS (
    SELECT e.event_id FROM {{schema}}.payment_events e
    WHERE e.payload IS NOT NULL AND e.owner IS NOT NULL AND e.state IN ('applied', 'ignored') AND e.received_at < done_before
      AND (none_left OR (SELECT true FROM {{schema}}.moved_owners m
        WHERE m.person = e.owner AND (m.remains OR m.state IN ('moving', 'arriving', 'leaving'))) IS NULL)
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
