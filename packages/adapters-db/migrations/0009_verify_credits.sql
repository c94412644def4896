-- The queries of "parley credits verify", in pieces that each read a bounded number of rows by their keys:
-- "verifyAccount" of the core, over many accounts. Plans are restricted to look-ups of one row after another, so that
-- none sorts or spills, regardless of the size of a table.

-- The accounts after "after", up to "upto" (to the last if it is null), each in one state of the database. Compares the
-- account with its open holds, with its newest transaction, with the one that contains its terms, and with the newest
-- of each type. Returns for each account the first transaction to check, the newest, the number of ended holds, and the
-- differences, as {invariant: [expected, found]}.
CREATE FUNCTION {{schema}}.verify_accounts(after text, upto text, since timestamptz)
RETURNS TABLE (user_id text, first bigint, transaction_count bigint, ended bigint, wrong json) LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT a.user_id, coalesce(o.number, 0) + 1, a.transaction_count, a.holds_ended, w.wrong
  FROM {{schema}}.credit_accounts a
  LEFT JOIN {{schema}}.credit_transactions n ON n.user_id = a.user_id AND n.number = a.transaction_count
  LEFT JOIN {{schema}}.credit_transactions t ON t.user_id = a.user_id AND t.number = a.terms_transaction
  LEFT JOIN LATERAL (
    SELECT r.number FROM {{schema}}.credit_transactions r
    WHERE since IS NOT NULL AND r.user_id = a.user_id AND r.created_at < since ORDER BY r.number DESC LIMIT 1
  ) o ON true
  CROSS JOIN LATERAL (
    SELECT count(*) AS beyond FROM {{schema}}.credit_transactions r
    WHERE r.user_id = a.user_id AND r.number > a.transaction_count
  ) b
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(h.allowance), 0) AS allowance, coalesce(sum(h.topup), 0) AS topup, count(*) AS open,
      coalesce(sum(h.allowance + h.topup) FILTER (WHERE h.source = 'chat'), 0) AS chat,
      coalesce(sum(h.allowance + h.topup) FILTER (WHERE starts_with(h.source, 'bot:')), 0) AS bot,
      coalesce(sum(h.allowance + h.topup) FILTER (WHERE starts_with(h.source, 'meter:')), 0) AS meter,
      coalesce(sum(h.allowance + h.topup) FILTER (WHERE starts_with(h.source, 'key:')), 0) AS key,
      count(*) FILTER (WHERE EXISTS (
        SELECT FROM {{schema}}.credit_idempotency k WHERE k.user_id = h.user_id AND k.key = h.key
      )) AS ended,
      count(*) FILTER (WHERE h.seal <> {{schema}}.hold_seal(h)) AS broken
    FROM {{schema}}.credit_holds h WHERE h.user_id = a.user_id
  ) h
  CROSS JOIN LATERAL (
    SELECT count(*) AS agreeing FROM unnest(ARRAY['usage', 'reset', 'topup', 'grant', 'refund', 'adjustment'])
      WITH ORDINALITY AS y(type, place)
    LEFT JOIN {{schema}}.credit_transactions r ON r.user_id = a.user_id AND r.number = a.by_type[2 * y.place]
    WHERE coalesce(r.type_number, 0) = a.by_type[2 * y.place - 1] AND coalesce(r.type, y.type) = y.type
  ) y
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(g.credits) FILTER (WHERE g.source = 'chat'), 0) AS chat,
      coalesce(sum(g.credits) FILTER (WHERE starts_with(g.source, 'bot:')), 0) AS bot,
      coalesce(sum(g.credits) FILTER (WHERE starts_with(g.source, 'meter:')), 0) AS meter,
      coalesce(sum(g.credits) FILTER (WHERE starts_with(g.source, 'key:')), 0) AS key
    FROM {{schema}}.usage_of(a.user_id, a.usage_day, a.usage_day) g
  ) d
  CROSS JOIN LATERAL (
    SELECT json_object_agg(v.invariant, json_build_array(v.expected, v.found)) AS wrong FROM (VALUES
      ('sum of amounts', coalesce(n.balance_after, 0), a.allowance + a.topup - a.debt),
      ('sum of allowance amounts', coalesce(n.allowance_after, 0), a.allowance),
      ('sum of topup amounts', coalesce(n.topup_after, 0), a.topup),
      ('transactions of each type', 6, y.agreeing - (a.transaction_count <> a.by_type[1] + a.by_type[3] + a.by_type[5]
        + a.by_type[7] + a.by_type[9] + a.by_type[11])::integer),
      ('transactions beyond the newest', 0, b.beyond),
      ('tier, dates and renewal', 0, CASE WHEN
        (a.tier, coalesce(a.pending_tier, ''), a.renewed_by, a.renewed_until, a.anchor, a.period_start, a.next_reset_at,
          a.period_credits)
        IS NOT DISTINCT FROM (t.tier, coalesce(t.pending_tier, ''), t.renewed_by, t.renewed_until, t.anchor, t.period_start,
          t.next_reset_at, t.period_credits)
        THEN 0 ELSE 1 END),
      ('held allowance', h.allowance::bigint, a.held_allowance),
      ('held topup', h.topup::bigint, a.held_topup),
      ('open holds', h.open, a.open_holds),
      ('number of open holds', h.open, a.holds_opened - a.holds_ended),
      ('held by each kind of source', 4, (h.chat = a.usage_by_kind[2])::integer + (h.bot = a.usage_by_kind[4])::integer
        + (h.meter = a.usage_by_kind[6])::integer + (h.key = a.usage_by_kind[8])::integer),
      ('charged to each kind of source on the last day', 4, (d.chat = a.usage_by_kind[1])::integer
        + (d.bot = a.usage_by_kind[3])::integer + (d.meter = a.usage_by_kind[5])::integer
        + (d.key = a.usage_by_kind[7])::integer),
      ('free credits beside a debt', 0,
        CASE WHEN a.debt = 0 THEN 0 ELSE a.allowance - a.held_allowance + a.topup - a.held_topup END),
      ('keys that are open and ended', 0, h.ended),
      ('holds not as they were written', 0, h.broken)
    ) AS v(invariant, expected, found) WHERE v.expected <> v.found
  ) w
  WHERE a.user_id > after AND (upto IS NULL OR a.user_id <= upto)
  ORDER BY a.user_id;
END
$function$;

-- Checks blocks of transactions, each of one user from "firsts" up to "lasts": every row against the previous one, its
-- key and its receipt. Returns for each user the number of rows and of each kind of difference.
CREATE FUNCTION {{schema}}.verify_transactions(users text[], firsts bigint[], lasts bigint[])
RETURNS TABLE (user_id text, present bigint, unbalanced bigint, changed bigint, keyless bigint, unreceipted bigint,
  unpurchased bigint)
LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT s.user_id, count(t.number), count(*) FILTER (WHERE t.unbalanced), count(*) FILTER (WHERE t.changed),
    count(*) FILTER (WHERE t.keyless), count(*) FILTER (WHERE t.unreceipted), count(*) FILTER (WHERE t.unpurchased)
  FROM unnest(users, firsts, lasts) AS s(user_id, first, last)
  CROSS JOIN LATERAL (
    SELECT r.number,
      (r.balance_after, r.allowance_after, r.topup_after) <> (coalesce(p.balance_after, 0) + r.amount,
        coalesce(p.allowance_after, 0) + r.allowance_amount, coalesce(p.topup_after, 0) + r.topup_amount) AS unbalanced,
      r.digest <> {{schema}}.link_digest(p.digest, {{schema}}.transaction_text(r)) AS changed,
      CASE
        WHEN starts_with(r.reference, 'repaid:') OR starts_with(r.reference, 'expired:') THEN NOT EXISTS (
          SELECT FROM {{schema}}.credit_idempotency k WHERE k.user_id = r.user_id
            AND k.key = substr(r.reference, strpos(r.reference, ':') + 1)
            AND k.hold_number IS NOT NULL AND k.used_at = r.created_at)
        WHEN starts_with(r.reference, 'moved:') THEN NOT EXISTS (
          SELECT FROM {{schema}}.credit_idempotency k WHERE k.user_id = r.user_id AND k.key = substr(r.reference, 7))
        ELSE NOT EXISTS (
          SELECT FROM {{schema}}.credit_idempotency k WHERE k.user_id = r.user_id AND k.key = r.reference
            AND k.number = r.number)
      END AS keyless,
      CASE WHEN r.receipt IS NULL THEN r.type = 'usage' OR r.model IS NOT NULL OR r.source IS NOT NULL
        ELSE r.type <> 'usage' OR r.allowance_amount + r.topup_amount <> r.amount
          OR r.receipt ->> 'model' IS DISTINCT FROM r.model OR r.receipt ->> 'source' IS DISTINCT FROM r.source
          OR r.receipt -> 'charged' IS DISTINCT FROM to_jsonb(-r.amount)
          OR r.receipt -> 'paidFrom' -> 'allowance' IS DISTINCT FROM to_jsonb(-r.allowance_amount)
          OR r.receipt -> 'paidFrom' -> 'topup' IS DISTINCT FROM to_jsonb(-r.topup_amount)
      END AS unreceipted,
      r.charge IS NOT NULL AND NOT EXISTS (
        SELECT FROM {{schema}}.credit_purchases c WHERE c.user_id = r.user_id AND c.charge = r.charge
      ) AS unpurchased
    FROM {{schema}}.credit_transactions r
    LEFT JOIN {{schema}}.credit_transactions p ON p.user_id = r.user_id AND p.number = r.number - 1
    WHERE r.user_id = s.user_id AND r.number BETWEEN s.first AND s.last
  ) t
  GROUP BY s.user_id;
END
$function$;

-- Checks up to "page" keys against their transactions, in the order of (user, key), after (after_user, after_key) and
-- of users up to "upto". Returns for each user the last key, the number of each kind of difference, and the number of
-- ended holds among those that had ended when "ended" was read ({user: number}).
CREATE FUNCTION {{schema}}.verify_keys(after_user text, after_key text, upto text, ended jsonb, page integer)
RETURNS TABLE (user_id text, last_key text, keys bigint, unanswered bigint, contradicting bigint, holds bigint,
  numbers numeric)
LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT k.user_id, max(k.key), count(*),
    count(*) FILTER (WHERE CASE WHEN k.number IS NULL THEN k.hold_number IS NULL OR starts_with(k.key, 'period:')
      ELSE t.reference IS DISTINCT FROM k.key END),
    count(*) FILTER (WHERE t.created_at <> k.used_at
      OR t.receipt -> 'held' IS DISTINCT FROM to_jsonb(k.hold_allowance + k.hold_topup) AND k.number IS NOT NULL
      -- A hold that ended after "ended" was read must be in the account's present count.
      OR CASE WHEN NOT k.counted THEN k.hold_number > (
        SELECT a.holds_ended FROM {{schema}}.credit_accounts a WHERE a.user_id = k.user_id
      ) END),
    count(*) FILTER (WHERE k.counted), coalesce(sum(k.hold_number) FILTER (WHERE k.counted), 0)
  FROM (
    SELECT c.*, c.hold_number <= coalesce((ended ->> c.user_id)::bigint, 0) AS counted
    FROM {{schema}}.credit_idempotency c
    WHERE (c.user_id, c.key) > (after_user, after_key) AND (upto IS NULL OR c.user_id <= upto)
    ORDER BY c.user_id, c.key LIMIT page
  ) k
  LEFT JOIN {{schema}}.credit_transactions t ON t.user_id = k.user_id AND t.number = k.number
  GROUP BY k.user_id ORDER BY k.user_id;
END
$function$;

-- Returns up to 1,000 users who have transactions, holds or idempotency keys, but no account. The range of their ids
-- begins after "after" and ends with "upto"; it has no end if "upto" is null.
CREATE FUNCTION {{schema}}.verify_owners(after text, upto text) RETURNS TABLE (user_id text) LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH RECURSIVE owners AS (
    SELECT (SELECT min(n.user_id) FROM (
      (SELECT r.user_id FROM {{schema}}.credit_transactions r WHERE r.user_id > after ORDER BY 1 LIMIT 1)
      UNION ALL (SELECT k.user_id FROM {{schema}}.credit_idempotency k WHERE k.user_id > after ORDER BY 1 LIMIT 1)
      UNION ALL (SELECT h.user_id FROM {{schema}}.credit_holds h WHERE h.user_id > after ORDER BY 1 LIMIT 1)
    ) n) AS user_id
    UNION ALL
    SELECT (SELECT min(n.user_id) FROM (
      (SELECT r.user_id FROM {{schema}}.credit_transactions r WHERE r.user_id > o.user_id ORDER BY 1 LIMIT 1)
      UNION ALL (SELECT k.user_id FROM {{schema}}.credit_idempotency k WHERE k.user_id > o.user_id ORDER BY 1 LIMIT 1)
      UNION ALL (SELECT h.user_id FROM {{schema}}.credit_holds h WHERE h.user_id > o.user_id ORDER BY 1 LIMIT 1)
    ) n) FROM owners o WHERE o.user_id IS NOT NULL AND (upto IS NULL OR o.user_id < upto)
  )
  SELECT o.user_id FROM owners o
  WHERE o.user_id IS NOT NULL AND (upto IS NULL OR o.user_id <= upto)
    AND NOT EXISTS (SELECT FROM {{schema}}.credit_accounts a WHERE a.user_id = o.user_id)
  LIMIT 1000;
END
$function$;
