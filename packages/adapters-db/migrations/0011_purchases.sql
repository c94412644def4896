-- The purchases of people: the credits that each payment granted, and those that its refunds and disputes have taken
-- back so far. A purchase changes only together with its account, in the write that moves the credits.
CREATE TABLE {{schema}}.credit_purchases (
  user_id text COLLATE "C" NOT NULL,
  -- The id of the payment at its provider.
  charge text COLLATE "C" NOT NULL,
  -- "granted" in whole credits; "paid" in the smallest unit of the payment's currency.
  granted bigint NOT NULL CHECK (granted BETWEEN 1 AND 9007199254740991),
  paid bigint NOT NULL CHECK (paid BETWEEN 1 AND 9007199254740991),
  -- Credits taken back according to the reports, in whole credits.
  clawed_back bigint NOT NULL CHECK (clawed_back BETWEEN 0 AND granted),
  -- The latest report of the refund and of each dispute: {source, part, isWon, reportedAt}.
  reports jsonb NOT NULL CHECK (jsonb_typeof(reports) = 'array'),
  -- A digest of all columns above, as the ledger wrote them.
  seal bytea NOT NULL,
  PRIMARY KEY (user_id, charge)
);

CREATE FUNCTION {{schema}}.purchase_seal(p {{schema}}.credit_purchases) RETURNS bytea LANGUAGE sql STABLE
AS $function$
SELECT sha256(convert_to(ROW(p.user_id, p.charge, p.granted, p.paid, p.clawed_back, p.reports)::text, 'UTF8'))
$function$;

CREATE FUNCTION {{schema}}.sealed(p {{schema}}.credit_purchases) RETURNS {{schema}}.credit_purchases LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  p.seal := {{schema}}.purchase_seal(p);
  RETURN p;
END
$function$;

-- Compares up to "page" purchases with their transactions, their reports and their digests, in the order of (user,
-- charge), after (after_user, after_charge) and of users up to "last_user". Returns for each user the last purchase
-- compared, the number compared, and the number that differ.
CREATE FUNCTION {{schema}}.verify_purchases(after_user text, after_charge text, last_user text, page integer)
RETURNS TABLE (user_id text, last text, looked bigint, wrong bigint) LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT p.user_id, max(p.charge), count(*), count(*) FILTER (WHERE
    p.seal <> p.right_seal
    OR t.grants <> 1 OR t.granted IS DISTINCT FROM p.granted OR t.taken <> p.clawed_back
    OR least(p.granted, r.beyond) <> p.clawed_back)
  FROM (
    SELECT c.*, {{schema}}.purchase_seal(c) AS right_seal FROM {{schema}}.credit_purchases c
    WHERE (c.user_id, c.charge) > (after_user, after_charge) AND (last_user IS NULL OR c.user_id <= last_user)
    ORDER BY c.user_id, c.charge LIMIT page
  ) p
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE n.type <> 'refund') AS grants, sum(n.amount) FILTER (WHERE n.type <> 'refund') AS granted,
      coalesce(-sum(n.amount) FILTER (WHERE n.type = 'refund'), 0) AS taken
    FROM {{schema}}.credit_transactions n WHERE n.user_id = p.user_id AND n.charge = p.charge
  ) t
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(div(p.granted::numeric * (e.value ->> 'part')::numeric, p.paid::numeric))
      FILTER (WHERE e.value ->> 'isWon' = 'false'), 0) AS beyond
    FROM jsonb_array_elements(p.reports) AS e(value)
  ) r
  GROUP BY p.user_id ORDER BY p.user_id;
END
$function$;

-- Purchases are never deleted.
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON {{schema}}.credit_purchases
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();

ALTER TABLE {{schema}}.credit_purchases ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.credit_purchases FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.credit_purchases TO parley_service USING (true);
