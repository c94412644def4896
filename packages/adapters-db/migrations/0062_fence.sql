-- compatible from 0032
-- The fence between cells, and the move of an owner from one cell to another. The functions are here; the triggers that
-- fence tables are created in a database when it becomes one of several cells ("enableFence"). Until then they do not
-- exist, and no statement costs more.

-- Owners that were moved, and where this cell stands with each. An owner without a row was never moved from or to this
-- cell. The table has no "user_id": its rows describe the cell, and are neither moved nor erased with a person's rows.
CREATE TABLE {{schema}}.moved_owners (
  person text COLLATE "C" PRIMARY KEY CHECK (char_length(person) BETWEEN 1 AND 255),
  -- "moving" from here and "arriving" here: all writes are refused. "moved": the owner lives in another cell, and writes
  -- are refused. "home": the owner lives here.
  state text NOT NULL CHECK (state IN ('moving', 'arriving', 'moved', 'home')),
  -- The other cell of the move.
  cell text COLLATE "C" NOT NULL CHECK (cell <> ''),
  -- The version of the owner's placement in the directory on which the state is based. It never decreases, so that a
  -- process that continues an outdated move is refused.
  version bigint NOT NULL CHECK (version >= 0),
  -- True if rows of the owner may still be here although the owner lives in another cell.
  remains boolean NOT NULL DEFAULT false,
  at timestamptz NOT NULL DEFAULT now(),
  -- The transaction that copies or erases the owner's rows now; null in every committed row.
  writer xid8
);
CREATE INDEX moved_owners_unfinished ON {{schema}}.moved_owners (at) WHERE state IN ('moving', 'arriving') OR remains;
ALTER TABLE {{schema}}.moved_owners ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.moved_owners FOR SELECT TO parley_user
  USING (person = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.moved_owners FOR SELECT TO parley_service USING (true);
GRANT SELECT ON {{schema}}.moved_owners TO parley_user, parley_service;

-- Buckets that this cell had and lost: new owners of them live in another cell. The version is that of the bucket in
-- the directory when it was lost.
CREATE TABLE {{schema}}.lost_buckets (
  bucket smallint PRIMARY KEY CHECK (bucket BETWEEN 0 AND 4095),
  version bigint NOT NULL CHECK (version >= 0)
);
ALTER TABLE {{schema}}.lost_buckets ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.lost_buckets FOR SELECT TO parley_user USING (bucket =
  get_byte(sha256(convert_to(current_setting('parley.user_id', true), 'UTF8')), 0) * 16
  + get_byte(sha256(convert_to(current_setting('parley.user_id', true), 'UTF8')), 1) / 16);
CREATE POLICY service ON {{schema}}.lost_buckets FOR SELECT TO parley_service USING (true);
GRANT SELECT ON {{schema}}.lost_buckets TO parley_user, parley_service;
-- Grows with each change of the bucket.
ALTER TABLE {{schema}}.cell_buckets ADD COLUMN version bigint NOT NULL DEFAULT 0 CHECK (version >= 0);

-- True on the account of an owner who was moved or is being moved, while the rows are here: a trigger reads it from the
-- row, which costs replies nothing. Null otherwise.
ALTER TABLE {{schema}}.credit_accounts ADD COLUMN moved boolean;

-- True within a transaction that copies or erases the rows of an owner. The setting says whose; the row, which only the
-- owner of the tables can write, proves it.
CREATE FUNCTION {{schema}}.is_mover() RETURNS boolean LANGUAGE sql STABLE AS $function$
SELECT EXISTS (SELECT FROM {{schema}}.moved_owners m
  WHERE m.person = current_setting('parley.mover', true) AND m.writer = pg_current_xact_id_if_assigned())
$function$;

-- False if this cell refuses the writes of an owner. Rows of no person, and pseudonyms of erased people, have no bucket:
-- the former are in the global database, and the directory places the latter by their names.
CREATE FUNCTION {{schema}}.lives_here(asked text) RETURNS boolean LANGUAGE sql AS $function$
SELECT coalesce(
  (SELECT m.state = 'home' FROM {{schema}}.moved_owners m WHERE m.person = asked),
  NOT EXISTS (SELECT FROM {{schema}}.lost_buckets) OR asked = 'parley:no-person' OR starts_with(asked, 'erased:')
    OR NOT EXISTS (SELECT FROM {{schema}}.lost_buckets b WHERE b.bucket =
      get_byte(sha256(convert_to(asked, 'UTF8')), 0) * 16 + get_byte(sha256(convert_to(asked, 'UTF8')), 1) / 16))
$function$;

-- Raises PL001 if the owner does not live here, or is being moved.
CREATE FUNCTION {{schema}}.refuse_moved(asked text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
  IF NOT {{schema}}.lives_here(asked) AND NOT EXISTS (SELECT FROM {{schema}}.moved_owners m
    WHERE m.person = asked AND m.writer = pg_current_xact_id()) THEN
    RAISE EXCEPTION 'The rows of this owner belong to another database, or are being moved to one.' USING ERRCODE = 'PL001';
  END IF;
END
$function$;

-- The fences: BEFORE INSERT OR UPDATE OR DELETE, for each row. The functions are volatile, so each look-up reads what
-- is committed at that moment, also within a long statement. Rows that exist are of no owner who never lived here, so
-- that only a new row asks for the bucket as well.
CREATE FUNCTION {{schema}}.fence_person() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM {{schema}}.refuse_moved(NEW.user_id);
    RETURN NEW;
  END IF;
  IF EXISTS (SELECT FROM {{schema}}.moved_owners m WHERE m.person = OLD.user_id) THEN
    PERFORM {{schema}}.refuse_moved(OLD.user_id);
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  IF NEW.user_id IS DISTINCT FROM OLD.user_id THEN PERFORM {{schema}}.refuse_moved(NEW.user_id); END IF;
  RETURN NEW;
END
$function$;

-- Deliveries: a claim of many owners' deliveries leaves out those of a moved owner.
CREATE FUNCTION {{schema}}.fence_delivery() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  asked CONSTANT text := CASE TG_OP WHEN 'DELETE' THEN OLD.user_id ELSE NEW.user_id END;
BEGIN
  IF TG_OP = 'INSERT' OR EXISTS (SELECT FROM {{schema}}.moved_owners m WHERE m.person = asked AND m.state <> 'home') THEN
    IF TG_OP = 'UPDATE' AND NEW.claim IS NOT NULL AND NEW.claim IS DISTINCT FROM OLD.claim THEN RETURN NULL; END IF;
    PERFORM {{schema}}.refuse_moved(asked);
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.user_id IS DISTINCT FROM OLD.user_id THEN PERFORM {{schema}}.refuse_moved(OLD.user_id); END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END
$function$;

-- Payment events and references, which may have no owner yet.
CREATE FUNCTION {{schema}}.fence_payment() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM {{schema}}.refuse_moved(OLD.owner); END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  PERFORM {{schema}}.refuse_moved(NEW.owner);
  RETURN NEW;
END
$function$;

CREATE FUNCTION {{schema}}.fence_wait() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  event CONSTANT text := CASE TG_OP WHEN 'DELETE' THEN OLD.event_id ELSE NEW.event_id END;
BEGIN
  PERFORM {{schema}}.refuse_moved((SELECT e.owner FROM {{schema}}.payment_events e WHERE e.event_id = event));
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END
$function$;

-- Jobs: a worker that looks for a job passes over those of a moved owner.
CREATE FUNCTION {{schema}}.fence_job() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  asked CONSTANT text := CASE TG_OP WHEN 'DELETE' THEN OLD.group_id ELSE NEW.group_id END;
BEGIN
  IF TG_OP = 'INSERT' OR EXISTS (SELECT FROM {{schema}}.moved_owners m WHERE m.person = asked AND m.state <> 'home') THEN
    IF TG_OP = 'UPDATE' AND NEW.state = 'active' AND OLD.state < 'active' THEN RETURN NULL; END IF;
    PERFORM {{schema}}.refuse_moved(asked);
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END
$function$;

-- Blocks and sign-outs have a fence of their own, because their rows do not name the person after an erasure.
CREATE OR REPLACE FUNCTION {{schema}}.change_access(id text, change text) RETURNS {{schema}}.access LANGUAGE sql AS $function$
  SELECT {{schema}}.refuse_moved(id);
  INSERT INTO {{schema}}.access AS a (person, subject, not_before, blocked_at, changed_at)
  SELECT sha256(convert_to(id, 'UTF8')), id, CASE change WHEN 'sign-out' THEN c.now END,
    CASE change WHEN 'block' THEN c.now END, c.now
  FROM clock_timestamp() AS c(now)
  ON CONFLICT (person) DO UPDATE SET
    subject = excluded.subject,
    not_before = greatest(a.not_before, excluded.not_before),
    blocked_at = CASE change WHEN 'unblock' THEN NULL ELSE coalesce(a.blocked_at, excluded.blocked_at) END,
    changed_at = greatest(a.changed_at, excluded.changed_at)
  RETURNING *
$function$;

GRANT EXECUTE ON FUNCTION {{schema}}.is_mover(), {{schema}}.lives_here(text), {{schema}}.refuse_moved(text),
  {{schema}}.fence_person(), {{schema}}.fence_delivery(), {{schema}}.fence_payment(), {{schema}}.fence_wait()
  TO parley_user, parley_service;
GRANT EXECUTE ON FUNCTION {{schema}}.fence_job() TO parley_service;

-- Rows that are copied or erased with a move happened, or live on, in another cell: no event is written for them, no
-- payment is settled again, and no object of theirs is deleted. Without the setting nothing is looked up.
CREATE OR REPLACE TRIGGER transactions_told AFTER INSERT ON {{schema}}.credit_transactions
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  WHEN (coalesce(current_setting('parley.mover', true), '') = '' OR NOT {{schema}}.is_mover())
  EXECUTE FUNCTION {{schema}}.tell_transactions();
CREATE OR REPLACE TRIGGER conversation_begun_waiting AFTER INSERT ON {{schema}}.handovers FOR EACH ROW
  WHEN (NEW.state = 'waiting' AND (coalesce(current_setting('parley.mover', true), '') = '' OR NOT {{schema}}.is_mover()))
  EXECUTE FUNCTION {{schema}}.tell_conversation();
CREATE OR REPLACE TRIGGER owed_settled AFTER INSERT OR UPDATE OF state, payment, source, returned ON {{schema}}.payment_events
  FOR EACH ROW
  WHEN (NEW.payment IS NOT NULL AND (coalesce(current_setting('parley.mover', true), '') = '' OR NOT {{schema}}.is_mover()))
  EXECUTE FUNCTION {{schema}}.settle_owed_payment();
CREATE OR REPLACE TRIGGER discard_object AFTER DELETE ON {{schema}}.file_objects FOR EACH ROW
  WHEN (coalesce(current_setting('parley.mover', true), '') = '' OR NOT {{schema}}.is_mover())
  EXECUTE FUNCTION {{schema}}.discard_object();
-- Its statistics and postings leave with it.
CREATE OR REPLACE TRIGGER uncounted BEFORE DELETE ON {{schema}}.passage_generations FOR EACH ROW
  WHEN (OLD.counted AND (coalesce(current_setting('parley.mover', true), '') = '' OR NOT {{schema}}.is_mover()))
  EXECUTE FUNCTION {{schema}}.uncount_generation();

-- Rows of the ledger also leave a cell: in the transaction that erases an owner who was moved.
CREATE OR REPLACE FUNCTION {{schema}}.refuse_credit_change() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF TG_OP = 'UPDATE' AND EXISTS (SELECT FROM {{schema}}.erasures WHERE transaction = pg_current_xact_id()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' AND {{schema}}.is_mover() THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'Rows of % are never changed or deleted; correct a balance with a new adjustment.', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$function$;
CREATE OR REPLACE FUNCTION {{schema}}.refuse_billing_change() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF EXISTS (SELECT FROM {{schema}}.erasures WHERE transaction = pg_current_xact_id())
    OR TG_OP = 'DELETE' AND {{schema}}.is_mover() THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'Rows of % follow from what the payment provider reported, and go with their person alone.', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$function$;
