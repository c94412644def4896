-- The usage of accounts, by day, source and model. Replies write nothing here: a write of the ledger that fills a block
-- of an account's transactions sums the usage since the last sums, and a query adds the transactions after them. So a
-- query reads few rows, and its answer is exact.
CREATE TABLE {{schema}}.credit_usage (
  user_id text COLLATE "C" NOT NULL,
  -- The number of the last transaction in this sum. The sum begins after the last transaction of the previous one.
  upto bigint NOT NULL CHECK (upto >= 1),
  -- In UTC.
  day date NOT NULL,
  source text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  replies bigint NOT NULL CHECK (replies >= 1),
  credits numeric NOT NULL CHECK (credits >= 0),
  input_tokens numeric NOT NULL CHECK (input_tokens >= 0),
  output_tokens numeric NOT NULL CHECK (output_tokens >= 0),
  PRIMARY KEY (user_id, upto, day, source, model)
);
CREATE INDEX credit_usage_by_day ON {{schema}}.credit_usage (user_id, day);

-- The last transaction of an account that is summed before "before"; 0 if there is none.
CREATE FUNCTION {{schema}}.summed_upto(of_user text, before bigint) RETURNS bigint LANGUAGE sql STABLE
RETURN coalesce((SELECT max(u.upto) FROM {{schema}}.credit_usage u WHERE u.user_id = of_user AND u.upto < before), 0);

-- The usage in the transactions of an account after "after", up to "upto".
CREATE FUNCTION {{schema}}.sum_usage(of_user text, after bigint, upto bigint) RETURNS TABLE (
  day date, source text, model text, replies bigint, credits numeric, input_tokens numeric, output_tokens numeric
) LANGUAGE sql STABLE AS $function$
  SELECT (t.created_at AT TIME ZONE 'UTC')::date, t.source, coalesce(t.model, '') COLLATE "C", count(*), sum(-t.amount),
    coalesce(sum((t.receipt #>> '{usage,freshInput}')::numeric + (t.receipt #>> '{usage,cacheRead}')::numeric
      + (t.receipt #>> '{usage,cacheWrite}')::numeric), 0),
    coalesce(sum((t.receipt #>> '{usage,output}')::numeric), 0)
  FROM {{schema}}.credit_transactions t
  WHERE t.user_id = of_user AND t.number > after AND t.number <= upto AND t.source IS NOT NULL
  GROUP BY 1, 2, 3
$function$;

-- The usage of an account on the days from "first_day" to "last_day", both included, counted from 1970-01-01.
CREATE FUNCTION {{schema}}.usage_of(of_user text, first_day integer, last_day integer) RETURNS TABLE (
  day date, source text, model text, replies numeric, credits numeric, input_tokens numeric, output_tokens numeric
) LANGUAGE sql STABLE AS $function$
  SELECT g.day, g.source, g.model, sum(g.replies), sum(g.credits), sum(g.input_tokens), sum(g.output_tokens)
  FROM (
    SELECT u.day, u.source, u.model, u.replies, u.credits, u.input_tokens, u.output_tokens
    FROM {{schema}}.credit_usage u WHERE u.user_id = of_user
    UNION ALL
    SELECT s.day, s.source, s.model, s.replies, s.credits, s.input_tokens, s.output_tokens
    FROM {{schema}}.sum_usage(of_user, {{schema}}.summed_upto(of_user, 9223372036854775807), 9223372036854775807) s
  ) g
  WHERE g.day >= date '1970-01-01' + first_day AND g.day <= date '1970-01-01' + last_day
  GROUP BY 1, 2, 3
$function$;

-- Compares up to "page" sums with the transactions that they sum, in the order of (user, upto), after (after_user,
-- after_upto) and of users up to "last_user". Returns for each user the last sum compared, the number of sums compared,
-- and the number that differ.
CREATE FUNCTION {{schema}}.verify_usage(after_user text, after_upto bigint, last_user text, page integer)
RETURNS TABLE (user_id text, last bigint, looked bigint, wrong bigint) LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT b.user_id, max(b.upto), count(*), count(*) FILTER (WHERE EXISTS (
    SELECT FROM (
      SELECT u.day, u.source, u.model, u.replies, u.credits, u.input_tokens, u.output_tokens, 1 AS side
      FROM {{schema}}.credit_usage u WHERE u.user_id = b.user_id AND u.upto = b.upto
      UNION ALL
      SELECT s.*, -1 FROM {{schema}}.sum_usage(b.user_id, {{schema}}.summed_upto(b.user_id, b.upto), b.upto) s
    ) o GROUP BY o.day, o.source, o.model, o.replies, o.credits, o.input_tokens, o.output_tokens HAVING sum(o.side) <> 0
  ))
  FROM (
    SELECT DISTINCT c.user_id, c.upto FROM {{schema}}.credit_usage c
    WHERE (c.user_id, c.upto) > (after_user, after_upto) AND (last_user IS NULL OR c.user_id <= last_user)
    ORDER BY c.user_id, c.upto LIMIT page
  ) b
  GROUP BY b.user_id ORDER BY b.user_id;
END
$function$;

-- Sums never change, and neither do the transactions.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {{schema}}.credit_usage
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();

ALTER TABLE {{schema}}.credit_usage ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.credit_usage FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.credit_usage TO parley_service USING (true);
