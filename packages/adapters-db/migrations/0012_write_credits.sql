-- Writes what was decided for several accounts: the one way in which replies, grants and their like change anything. A
-- function, so that each connection plans its statements once; it compares and writes, and knows no rules of credits.
--
-- An account is written only where it still is as it was seen when its changes were decided (or, being new, does not
-- exist yet), and what belongs to an account only where the account is. Gives the users written. From then on the
-- account's row is locked, so that what is compared next cannot change: keys taken to be unused, and holds taken to be
-- open. Where they are not, the whole call fails (40001) and writes nothing.
--
-- Rows are locked in the order of their keys, so that no two calls wait for each other. Therefore, and because plans are
-- kept while tables grow, they are pinned to look up one given row after another by its key.
CREATE FUNCTION {{schema}}.write_credits(
  accounts json, unseen json, ended json, opened json, transactions json, facts json
) RETURNS text[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  written text[];
  -- Every account was written, as nearly always.
  whole boolean;
  ends bigint;
BEGIN
  WITH given AS MATERIALIZED (
    SELECT g.* FROM json_to_recordset(accounts) AS g(user_id text, tier text, allowance bigint, topup bigint, debt bigint,
      held_allowance bigint, held_topup bigint, anchor timestamptz, period_start timestamptz, next_reset_at timestamptz,
      renewed_by text, pending_tier text, entries bigint, version bigint, seen text)
    ORDER BY g.user_id COLLATE "C"
  ), updated AS (
    UPDATE {{schema}}.credit_accounts a
    SET tier = g.tier, allowance = g.allowance, topup = g.topup, debt = g.debt, held_allowance = g.held_allowance,
      held_topup = g.held_topup, anchor = g.anchor, period_start = g.period_start, next_reset_at = g.next_reset_at,
      renewed_by = g.renewed_by, pending_tier = g.pending_tier, entries = g.entries, version = g.version
    FROM given g
    -- The version alone says it, unless the database was restored to an earlier state while somebody remembered a later.
    WHERE a.user_id = g.user_id AND a.version = g.version - 1
      AND concat_ws(' ', a.allowance, a.topup, a.debt, a.held_allowance, a.held_topup, a.entries) = g.seen
    RETURNING a.user_id
  ), inserted AS (
    INSERT INTO {{schema}}.credit_accounts (user_id, tier, allowance, topup, debt, held_allowance, held_topup, anchor,
      period_start, next_reset_at, renewed_by, pending_tier, entries, version)
    SELECT g.user_id, g.tier, g.allowance, g.topup, g.debt, g.held_allowance, g.held_topup, g.anchor,
      g.period_start, g.next_reset_at, g.renewed_by, g.pending_tier, g.entries, g.version
    FROM given g WHERE g.seen IS NULL
    ON CONFLICT DO NOTHING
    RETURNING user_id
  )
  SELECT array_agg(w.user_id), count(*) = json_array_length(accounts) INTO written, whole
  FROM (SELECT u.user_id FROM updated u UNION ALL SELECT i.user_id FROM inserted i) w;

  IF written IS NULL THEN RETURN '{}'; END IF;
  IF unseen IS NOT NULL THEN
    PERFORM FROM json_to_recordset(unseen) AS n(user_id text, key text)
    WHERE (whole OR n.user_id = ANY(written)) AND (
      EXISTS (SELECT FROM {{schema}}.credit_keys k WHERE k.user_id = n.user_id AND k.key = n.key)
      OR EXISTS (SELECT FROM {{schema}}.credit_holds h WHERE h.user_id = n.user_id AND h.key = n.key)
    );
    IF FOUND THEN
      RAISE EXCEPTION 'A key that was taken to be unused is used.' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF ended IS NOT NULL THEN
    -- Renewals write the expiry of a hold without its account: the one that counts is the one stored.
    WITH removed AS (
      DELETE FROM {{schema}}.credit_holds h
      USING json_to_recordset(ended) AS e(user_id text, key text, content text, used_at timestamptz, number bigint,
        hold_allowance bigint, hold_topup bigint, hold_period_start timestamptz)
      WHERE h.user_id = e.user_id AND h.key = e.key AND (whole OR e.user_id = ANY(written))
      RETURNING e.*, h.expires_at
    ), remembered AS (
      INSERT INTO {{schema}}.credit_keys (user_id, key, content, used_at, number, hold_allowance, hold_topup,
        hold_period_start, hold_expires_at)
      SELECT r.* FROM removed r
    )
    SELECT count(*) INTO ends FROM removed;
    IF ends <> (
      SELECT count(*) FROM json_to_recordset(ended) AS e(user_id text) WHERE whole OR e.user_id = ANY(written)
    ) THEN
      RAISE EXCEPTION 'A hold that was taken to be open is not.' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF opened IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_holds
      (user_id, key, allowance, topup, period_start, expires_at, content, attempt, draft)
    SELECT o.* FROM json_to_recordset(opened) AS o(user_id text, key text, allowance bigint, topup bigint,
      period_start timestamptz, expires_at timestamptz, content text, attempt text, draft jsonb)
    WHERE whole OR o.user_id = ANY(written);
  END IF;
  IF transactions IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_transactions (user_id, number, type, amount, allowance_amount, topup_amount,
      balance_after, model, reference, created_at, receipt)
    SELECT t.* FROM json_to_recordset(transactions) AS t(user_id text, number bigint, type text, amount bigint,
      allowance_amount bigint, topup_amount bigint, balance_after bigint, model text, reference text,
      created_at timestamptz, receipt jsonb)
    WHERE whole OR t.user_id = ANY(written);
  END IF;
  IF facts IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_keys (user_id, key, content, used_at, number, hold_allowance, hold_topup,
      hold_period_start, hold_expires_at)
    SELECT k.* FROM json_to_recordset(facts) AS k(user_id text, key text, content text, used_at timestamptz,
      number bigint, hold_allowance bigint, hold_topup bigint, hold_period_start timestamptz,
      hold_expires_at timestamptz)
    WHERE whole OR k.user_id = ANY(written);
  END IF;
  RETURN written;
END
$function$;
