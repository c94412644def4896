-- Calls of visitors, counted by the things that they share: addresses, conversations, bots. Unlogged: each call writes
-- here without waiting for the disk, and locks the row of a busy bot only while it counts. A crash of the database
-- loses the counts of the running minute.
CREATE UNLOGGED TABLE {{schema}}.call_windows (
  subject text COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  -- Calls admitted in the window.
  count bigint NOT NULL CHECK (count >= 1),
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (subject, name)
) WITH (fillfactor = 50);

CREATE INDEX call_windows_ended ON {{schema}}.call_windows (ends_at);

-- Calls that are running. A lease that is not renewed in time counts as ended; so do the leases of a dead process.
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

-- Admits a call on all its limits, or refuses it and counts it on none. If it refuses, it returns the place (from 1) of
-- the first limit that refuses, the kind of limit that was reached, and the milliseconds until the window ends.
--
-- The first pass reads without a lock, so that a refused call waits for no other call and delays none. The second pass
-- counts on all limits in the order of their keys, so that calls cannot deadlock, and reads again, now rows that it has
-- locked. If another call took the last place in between, the counts are taken back.
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
      -- "moment" may lie before the start of a window that another call opened while this one waited.
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

-- Renews the leases of running calls and deletes ended ones. A locked lease is being ended, so it is skipped.
CREATE FUNCTION {{schema}}.keep_calls(leases uuid[], lease_ms float8, ended uuid[]) RETURNS void LANGUAGE sql AS $function$
  DELETE FROM {{schema}}.call_leases WHERE lease = ANY(ended);
  UPDATE {{schema}}.call_leases l SET expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
  FROM (
    SELECT k.subject, k.name, k.lease FROM {{schema}}.call_leases k WHERE k.lease = ANY(leases) FOR UPDATE SKIP LOCKED
  ) kept
  WHERE l.subject = kept.subject AND l.name = kept.name AND l.lease = kept.lease;
$function$;

-- Deletes windows and leases that ended at least a minute ago, at most "most" of each. Skips locked rows, which are in
-- use.
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
