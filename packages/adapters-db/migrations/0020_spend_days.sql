-- Credits that visitors have spent on a day, counted for each bot and each address (as a digest). Unlogged like the counts of
-- calls: after a crash of the database the running day starts at zero. The owner's limit of the day is in the owner's account.
CREATE UNLOGGED TABLE {{schema}}.spend_days (
  subject text COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  -- In UTC.
  day date NOT NULL,
  -- Credits granted, less those returned.
  spent bigint NOT NULL CHECK (spent >= 0),
  PRIMARY KEY (subject, name, day)
) WITH (fillfactor = 50);

CREATE INDEX spend_days_day ON {{schema}}.spend_days (day);

ALTER TABLE {{schema}}.spend_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.spend_days TO parley_service USING (true);

-- Counts an amount on all limits, or on none. Returns the granted amount, from "minimum" to "amount", or the place (from 1) of
-- the first limit with less than "minimum" left. A limit that spares the first grants the whole amount to a subject that has
-- spent nothing.
--
-- The first pass reads without a lock, so that a refused call waits for no other call and delays none. The second pass locks the
-- rows of all limits in the order of their keys, so that calls cannot deadlock, and reads again.
CREATE FUNCTION {{schema}}.spend_credits(
  subjects text[], names text[], credits bigint[], spares boolean[], amount bigint, minimum bigint,
  OUT granted bigint, OUT place integer, OUT on_day integer, OUT remaining_ms float8
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  moment CONSTANT timestamp := clock_timestamp() AT TIME ZONE 'UTC';
  today CONSTANT date := moment::date;
BEGIN
  on_day := today - date '1970-01-01';
  remaining_ms := extract(epoch FROM (today + 1)::timestamp - moment) * 1000;
  FOR taken IN 0..1 LOOP
    IF taken = 1 THEN
      INSERT INTO {{schema}}.spend_days AS d (subject, name, day, spent)
      SELECT g.subject, g.name, today, 0
      FROM unnest(subjects, names) AS g(subject, name) ORDER BY g.subject COLLATE "C", g.name COLLATE "C"
      ON CONFLICT ON CONSTRAINT spend_days_pkey DO UPDATE SET spent = d.spent;
    END IF;
    SELECT min(room.credits), min(room.place) FILTER (WHERE room.credits < minimum) INTO granted, place
    FROM (
      SELECT g.place, CASE WHEN g.spares AND coalesce(d.spent, 0) = 0 THEN amount ELSE g.credits - coalesce(d.spent, 0) END
      FROM unnest(subjects, names, credits, spares) WITH ORDINALITY AS g(subject, name, credits, spares, place)
      LEFT JOIN {{schema}}.spend_days d ON d.subject = g.subject AND d.name = g.name AND d.day = today
    ) AS room(place, credits);
    IF place IS NOT NULL THEN
      granted := 0;
      RETURN;
    END IF;
  END LOOP;
  granted := least(amount, granted);
  UPDATE {{schema}}.spend_days d SET spent = d.spent + granted
  FROM unnest(subjects, names) AS g(subject, name)
  WHERE d.subject = g.subject AND d.name = g.name AND d.day = today;
END
$function$;

-- Returns credits that were granted on a day and not spent. Locks rows in the same order.
CREATE FUNCTION {{schema}}.give_back_credits(subjects text[], names text[], of_day integer, amount bigint)
RETURNS void LANGUAGE sql AS $function$
  UPDATE {{schema}}.spend_days d SET spent = greatest(0, d.spent - amount)
  FROM (
    SELECT o.subject, o.name, o.day FROM {{schema}}.spend_days o, unnest(subjects, names) AS g(subject, name)
    WHERE o.subject = g.subject AND o.name = g.name AND o.day = date '1970-01-01' + of_day
    ORDER BY o.subject COLLATE "C", o.name COLLATE "C" FOR UPDATE OF o
  ) taken
  WHERE d.subject = taken.subject AND d.name = taken.name AND d.day = taken.day;
$function$;

-- Deletes days that are over, at most "most" rows. Skips locked rows.
CREATE FUNCTION {{schema}}.sweep_spend_days(most integer) RETURNS bigint LANGUAGE sql AS $function$
  WITH swept AS (
    DELETE FROM {{schema}}.spend_days d USING (
      SELECT o.subject, o.name, o.day FROM {{schema}}.spend_days o WHERE o.day < (now() AT TIME ZONE 'UTC')::date
      ORDER BY o.day LIMIT most FOR UPDATE SKIP LOCKED
    ) old WHERE d.subject = old.subject AND d.name = old.name AND d.day = old.day RETURNING 1
  )
  SELECT count(*) FROM swept;
$function$;
