-- Writes the decisions for several accounts. Replies, grants and all other operations change credits only through this
-- function. It is a function so that each connection plans its statements once; it compares and writes, and contains no
-- rules of credits.
--
-- An account is written only if it has not changed since its changes were decided (or, if it is new, does not exist
-- yet) and no other transaction has locked it. Rows that belong to an account are written only if the account is. So no
-- call waits for another's account. Returns the users that were not written. The written accounts are locked, so the
-- following comparisons stay valid: keys assumed to be unused, and holds assumed to be open. If one of these is wrong,
-- the whole call fails (40001) and writes nothing. Rows come as JSON of their row types, so that a new column needs to
-- be added here only to the update of accounts.
--
-- "seen" has one text for each of "accounts": the balances from which its changes were decided; null for an account
-- that does not exist yet.
--
-- "decided_at" is the time of the decision, by the deciding process's estimate of the database's clock. If it is more
-- than one second ahead of the database's clock, or more than five seconds behind, nothing is written, and the process
-- decides again by the time that the database returns. It is null if the database returned the time itself, or if a
-- test controls the time.
--
-- "turns" are the ends of replies that belong to the changes: each is written if its payer's account is, or in any case
-- if it names no payer.
--
-- Rows are locked in the order of their keys, so that calls cannot deadlock. For that order, and because plans stay in
-- use while tables grow, the plans are restricted to look-ups of one given row after another by its key.
CREATE FUNCTION {{schema}}.write_credits(
  accounts json, seen text[], unseen json, ended json, opened json, transactions json, records json, purchases json, summed json, turns json, decided_at float8
) RETURNS text[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
-- The calling statement is a transaction of its own, so the function sets its time limit: it may still wait for a hold
-- that is locked, or for an account that another transaction is opening.
SET lock_timeout = 500
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  written text[];
  -- Accounts to open.
  fresh text[];
  -- True if every account was written, which is nearly always so.
  whole boolean;
  all_open boolean;
BEGIN
  IF extract(epoch FROM clock_timestamp()) * 1000 - decided_at NOT BETWEEN -1000 AND 5000 THEN
    RETURN ARRAY(SELECT g.user_id FROM json_to_recordset(accounts) AS g(user_id text));
  END IF;
  WITH given AS MATERIALIZED (
    SELECT g.*, g.unnest AS seen_before FROM ROWS FROM (
      json_populate_recordset(NULL::{{schema}}.credit_accounts, accounts), unnest(seen)
    ) AS g ORDER BY g.user_id COLLATE "C"
  ), free AS MATERIALIZED (
    SELECT g.*, a.ctid AS place FROM given g JOIN {{schema}}.credit_accounts a ON a.user_id = g.user_id
    -- The version alone would suffice, except after a restore of the database to an earlier state while a process
    -- remembered a later one.
    WHERE a.version = g.version - 1
      AND a.allowance || ' ' || a.topup || ' ' || a.debt || ' ' || a.held_allowance || ' ' || a.held_topup || ' '
        || a.transaction_count = g.seen_before
    FOR NO KEY UPDATE OF a SKIP LOCKED
  ), updated AS (
    UPDATE {{schema}}.credit_accounts a
    SET allowance = g.allowance, topup = g.topup, debt = g.debt, held_allowance = g.held_allowance,
      held_topup = g.held_topup, open_holds = g.open_holds, transaction_count = g.transaction_count,
      version = g.version, by_type = g.by_type,
      terms_transaction = g.terms_transaction, holds_opened = g.holds_opened, holds_ended = g.holds_ended,
      usage_day = g.usage_day, usage_by_kind = g.usage_by_kind,
      -- A row without a tier changes balances only: the terms stay.
      tier = coalesce(g.tier, a.tier), anchor = coalesce(g.anchor, a.anchor),
      period_start = coalesce(g.period_start, a.period_start), next_reset_at = coalesce(g.next_reset_at, a.next_reset_at),
      period_credits = coalesce(g.period_credits, a.period_credits), renewed_by = coalesce(g.renewed_by, a.renewed_by),
      renewed_until = CASE WHEN g.tier IS NULL THEN a.renewed_until ELSE g.renewed_until END,
      pending_tier = CASE WHEN g.tier IS NULL THEN a.pending_tier ELSE g.pending_tier END
    FROM free g WHERE a.ctid = g.place
    RETURNING a.user_id
  )
  SELECT coalesce((SELECT array_agg(u.user_id) FROM updated u), '{}'),
    (SELECT array_agg(g.user_id) FROM given g WHERE g.seen_before IS NULL) INTO written, fresh;
  IF fresh IS NOT NULL THEN
    WITH inserted AS (
      INSERT INTO {{schema}}.credit_accounts
      SELECT g.* FROM json_populate_recordset(NULL::{{schema}}.credit_accounts, accounts) g
      WHERE g.user_id = ANY(fresh) ORDER BY g.user_id COLLATE "C"
      ON CONFLICT DO NOTHING
      RETURNING user_id
    )
    SELECT written || coalesce(array_agg(i.user_id), '{}') INTO written FROM inserted i;
  END IF;
  whole := cardinality(written) = cardinality(seen);

  IF unseen IS NOT NULL THEN
    PERFORM FROM json_to_recordset(unseen) AS n(user_id text, key text) CROSS JOIN LATERAL (
      SELECT FROM {{schema}}.credit_idempotency k WHERE k.user_id = n.user_id AND k.key = n.key
      UNION ALL SELECT FROM {{schema}}.credit_holds h WHERE h.user_id = n.user_id AND h.key = n.key
      LIMIT 1
    ) used
    WHERE whole OR n.user_id = ANY(written);
    IF FOUND THEN
      RAISE EXCEPTION 'A key that was taken to be unused is used.' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF ended IS NOT NULL THEN
    WITH given AS MATERIALIZED (
      SELECT e.* FROM json_populate_recordset(NULL::{{schema}}.credit_idempotency, ended) e
      WHERE whole OR e.user_id = ANY(written)
    ), removed AS (
      DELETE FROM {{schema}}.credit_holds h USING given e
      WHERE h.user_id = e.user_id AND h.key = e.key
        -- The join again, as a lookup by the key, in case the table was empty when this statement was planned.
        AND h.user_id = ANY(written) AND h.key = ANY(ARRAY(SELECT g.key FROM given g))
      RETURNING e.user_id, e.key, e.fingerprint, e.used_at, e.number, h.allowance, h.topup,
        h.period_start, h.expires_at, e.hold_number
    ), remembered AS (
      INSERT INTO {{schema}}.credit_idempotency (user_id, key, fingerprint, used_at, number, hold_allowance, hold_topup,
        hold_period_start, hold_expires_at, hold_number)
      SELECT r.* FROM removed r
    )
    SELECT (SELECT count(*) FROM removed) = (SELECT count(*) FROM given) INTO all_open;
    IF NOT all_open THEN
      RAISE EXCEPTION 'A hold that was taken to be open is not.' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF opened IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_holds
    SELECT s.* FROM json_populate_recordset(NULL::{{schema}}.credit_holds, opened) o
    CROSS JOIN LATERAL {{schema}}.sealed(o) s
    WHERE whole OR o.user_id = ANY(written);
  END IF;
  IF transactions IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_transactions
    SELECT s.* FROM (
      SELECT t AS entry, {{schema}}.chain_digests(
        (SELECT p.digest FROM {{schema}}.credit_transactions p WHERE p.user_id = t.user_id AND p.number = t.number - 1),
        {{schema}}.transaction_text(t)
      ) OVER (PARTITION BY t.user_id ORDER BY t.number) AS digest
      FROM json_populate_recordset(NULL::{{schema}}.credit_transactions, transactions) t
      WHERE whole OR t.user_id = ANY(written)
    ) c CROSS JOIN LATERAL {{schema}}.with_digest(c.entry, c.digest) s;
  END IF;
  IF records IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_idempotency
    SELECT k.* FROM json_populate_recordset(NULL::{{schema}}.credit_idempotency, records) k
    WHERE whole OR k.user_id = ANY(written);
  END IF;
  IF purchases IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_purchases AS c
    SELECT s.* FROM json_populate_recordset(NULL::{{schema}}.credit_purchases, purchases) p
    CROSS JOIN LATERAL {{schema}}.sealed(p) s
    WHERE whole OR p.user_id = ANY(written)
    ON CONFLICT (user_id, charge) DO UPDATE
    SET clawed_back = excluded.clawed_back, reports = excluded.reports, seal = excluded.seal;
  END IF;
  -- Sums the usage since the last sums now and then, so that a query of usage reads few rows.
  IF summed IS NOT NULL THEN
    INSERT INTO {{schema}}.credit_usage (user_id, upto, day, source, model, replies, credits, input_tokens, output_tokens)
    SELECT s.user_id, s.upto, u.day, u.source, u.model, u.replies, u.credits, u.input_tokens, u.output_tokens
    FROM json_to_recordset(summed) AS s(user_id text, upto bigint)
    CROSS JOIN LATERAL {{schema}}.sum_usage(s.user_id, {{schema}}.summed_upto(s.user_id, s.upto), s.upto) u
    WHERE whole OR s.user_id = ANY(written);
  END IF;
  IF turns IS NOT NULL THEN
    PERFORM {{schema}}.begin_turn(t.of_user, t.of_bot, t.of_visitor, t.of_chat, t.title, t.messages, t.reply, t.given,
      t.continues, t.bytes, t.documents, NULL, NULL, false, 0)
    FROM json_to_recordset(turns) AS t(payer text, of_user text, of_bot text, of_visitor text, of_chat uuid, reply uuid,
      title text, messages integer, given jsonb, continues boolean, bytes bigint, documents uuid[])
    WHERE t.given IS NOT NULL AND (whole OR t.payer IS NULL OR t.payer = ANY(written));
    PERFORM {{schema}}.end_turn(t.of_user, t.of_bot, t.of_visitor, t.of_chat, t.reply, t.content, t.state)
    FROM (
      SELECT * FROM json_to_recordset(turns) AS g(payer text, of_user text, of_bot text, of_visitor text, of_chat uuid,
        reply uuid, content text, state text)
      WHERE whole OR g.payer IS NULL OR g.payer = ANY(written)
      ORDER BY g.of_user COLLATE "C", g.of_bot COLLATE "C", g.of_visitor COLLATE "C", g.of_chat
    ) t;
  END IF;
  IF whole THEN RETURN '{}'; END IF;
  RETURN ARRAY(SELECT g.user_id FROM json_to_recordset(accounts) AS g(user_id text) WHERE g.user_id <> ALL(written));
END
$function$;
