-- Calls of visitors, counted on what they share: addresses, conversations, bots. Not logged: each call writes here, waits
-- for no disk, and holds the row of a busy bot no longer than it takes to count. A crash of the database forgets the running minute.
CREATE UNLOGGED TABLE {{schema}}.call_windows (
  subject text COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  -- Calls admitted in the window.
  count bigint NOT NULL CHECK (count >= 1),
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (subject, name)
) WITH (fillfactor = 50);

CREATE INDEX call_windows_ended ON {{schema}}.call_windows (ends_at);

-- Calls that are open. One that is not kept in time counts as ended, as where its process died.
CREATE UNLOGGED TABLE {{schema}}.call_leases (
  subject text COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  lease uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (subject, name, lease)
) WITH (fillfactor = 50);

CREATE INDEX call_leases_lease ON {{schema}}.call_leases (lease);

ALTER TABLE {{schema}}.call_windows ENABLE ROW LEVEL SECURITY;
ALTER TABLE {{schema}}.call_leases ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.call_windows TO parley_service USING (true);
CREATE POLICY service ON {{schema}}.call_leases TO parley_service USING (true);

-- Admits a call on all of its limits, or refuses it and counts it on none: gives the place (from 1) of the first limit that
-- refuses, for what, and the milliseconds until its window ends.
--
-- First it looks without a lock, so that who is refused waits for nobody and holds up nobody. Then it counts on all limits,
-- in the order of their keys, so that no two calls wait for each other, and looks again, now at rows that are its own until
-- it ends: what came between is seen, and the counts are taken back where that refuses.
CREATE FUNCTION {{schema}}.admit_call(
  subjects text[], names text[], calls bigint[], at_once bigint[], window_ms float8, new_lease uuid, lease_ms float8,
  ended uuid[], OUT place integer, OUT reached text, OUT remaining_ms float8
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
BEGIN
  DELETE FROM {{schema}}.call_leases l WHERE l.lease = ANY(ended);
  FOR counted IN 0..1 LOOP
    IF counted = 1 THEN
      INSERT INTO {{schema}}.call_windows AS w (subject, name, count, ends_at)
      SELECT g.subject, g.name, 1, moment + window_ms * interval '1 millisecond'
      FROM unnest(subjects, names) AS g(subject, name) ORDER BY g.subject COLLATE "C", g.name COLLATE "C"
      ON CONFLICT ON CONSTRAINT call_windows_pkey DO UPDATE SET
        count = CASE WHEN w.ends_at <= moment THEN 1 ELSE w.count + 1 END,
        ends_at = CASE WHEN w.ends_at <= moment THEN excluded.ends_at ELSE w.ends_at END;
    END IF;
    SELECT g.place, CASE WHEN w.count >= g.calls + counted THEN 'calls' ELSE 'atOnce' END,
      -- Who waited for another's call to be counted began before that window did.
      least(window_ms, greatest(0, extract(epoch FROM w.ends_at - moment) * 1000))
    INTO place, reached, remaining_ms
    FROM unnest(subjects, names, calls, at_once) WITH ORDINALITY AS g(subject, name, calls, at_once, place)
    LEFT JOIN {{schema}}.call_windows w ON w.subject = g.subject AND w.name = g.name AND w.ends_at > moment
    WHERE w.count >= g.calls + counted OR g.at_once <= (
      SELECT count(*) FROM {{schema}}.call_leases l
      WHERE l.subject = g.subject AND l.name = g.name AND l.expires_at > moment
    )
    ORDER BY g.place LIMIT 1;
    IF place IS NOT NULL THEN
      IF counted = 1 THEN
        DELETE FROM {{schema}}.call_windows w USING unnest(subjects, names) AS g(subject, name)
        WHERE w.subject = g.subject AND w.name = g.name AND w.count = 1;
        UPDATE {{schema}}.call_windows w SET count = w.count - 1 FROM unnest(subjects, names) AS g(subject, name)
        WHERE w.subject = g.subject AND w.name = g.name;
      END IF;
      RETURN;
    END IF;
  END LOOP;
  INSERT INTO {{schema}}.call_leases (subject, name, lease, expires_at)
  SELECT g.subject, g.name, new_lease, moment + lease_ms * interval '1 millisecond'
  FROM unnest(subjects, names, at_once) AS g(subject, name, at_once) WHERE g.at_once IS NOT NULL;
END
$function$;

-- Has open calls count on as open, and forgets what ended. A lease that is locked is being given back.
CREATE FUNCTION {{schema}}.keep_calls(leases uuid[], lease_ms float8, ended uuid[]) RETURNS void LANGUAGE sql AS $function$
  DELETE FROM {{schema}}.call_leases WHERE lease = ANY(ended);
  UPDATE {{schema}}.call_leases l SET expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
  FROM (
    SELECT k.subject, k.name, k.lease FROM {{schema}}.call_leases k WHERE k.lease = ANY(leases) FOR UPDATE SKIP LOCKED
  ) kept
  WHERE l.subject = kept.subject AND l.name = kept.name AND l.lease = kept.lease;
$function$;

-- Forgets windows and leases that have ended for a minute, at most so many of each. What is locked is in use.
CREATE FUNCTION {{schema}}.sweep_calls(most integer) RETURNS bigint LANGUAGE sql AS $function$
  WITH windows AS (
    DELETE FROM {{schema}}.call_windows w USING (
      SELECT o.subject, o.name FROM {{schema}}.call_windows o WHERE o.ends_at < now() - interval '1 minute'
      ORDER BY o.ends_at LIMIT most FOR UPDATE SKIP LOCKED
    ) old WHERE w.subject = old.subject AND w.name = old.name RETURNING 1
  ), leases AS (
    DELETE FROM {{schema}}.call_leases l USING (
      SELECT o.subject, o.name, o.lease FROM {{schema}}.call_leases o WHERE o.expires_at < now() - interval '1 minute'
      LIMIT most FOR UPDATE SKIP LOCKED
    ) old WHERE l.subject = old.subject AND l.name = old.name AND l.lease = old.lease RETURNING 1
  )
  SELECT (SELECT count(*) FROM windows) + (SELECT count(*) FROM leases);
$function$;
