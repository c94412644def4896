-- Erasing a person beside append-only tables: see the README of the core's "users".

-- The pseudonyms of erased accounts, and the transaction that recorded each. A pseudonym identifies no person.
CREATE TABLE {{schema}}.erasures (
  pseudonym text COLLATE "C" PRIMARY KEY CHECK (pseudonym LIKE 'erased:%'),
  erased_at timestamptz NOT NULL DEFAULT now(),
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id()
);
ALTER TABLE {{schema}}.erasures ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.erasures TO parley_service USING (true);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {{schema}}.erasures
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();

-- Rows of the ledger change in one case: an erasure replaces their owner by a pseudonym, in the transaction that
-- records it.
CREATE OR REPLACE FUNCTION {{schema}}.refuse_credit_change() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF TG_OP = 'UPDATE' AND EXISTS (SELECT FROM {{schema}}.erasures WHERE transaction = pg_current_xact_id()) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'Rows of % are never changed or deleted; correct a balance with a new adjustment.', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$function$;

-- Refuses an account whose rows contradict each other, so that an erasure cannot hide a manipulation.
CREATE FUNCTION {{schema}}.prove_account(person text) RETURNS void LANGUAGE plpgsql STABLE AS $function$
BEGIN
  PERFORM FROM {{schema}}.verify_accounts(left(person, -1), person, NULL) v
  WHERE v.user_id = person AND (v.wrong IS NOT NULL OR EXISTS (
    SELECT FROM {{schema}}.verify_transactions(ARRAY[person], ARRAY[1], ARRAY[v.transaction_count]) t
    WHERE t.present <> v.transaction_count OR t.unbalanced + t.changed + t.keyless + t.unreceipted + t.unpurchased > 0
  ));
  IF NOT FOUND THEN
    PERFORM FROM {{schema}}.verify_purchases(person, '', person, 2147483647) p WHERE p.wrong > 0;
  END IF;
  IF FOUND THEN
    RAISE EXCEPTION 'The account contradicts itself; see "parley credits verify". Nothing was erased.'
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
END
$function$;

-- Locks the rows that a person's payment events change, in the same order as they do, until the transaction ends: a
-- concurrent event is applied before the erasure, or finds the person erased.
CREATE FUNCTION {{schema}}.begin_erasure(person text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM {{schema}}.lock_payments(person);
  PERFORM FROM {{schema}}.billing_accounts WHERE user_id = person FOR UPDATE;
  PERFORM {{schema}}.prove_account(person);
END
$function$;

-- Deletes the stored data of a person and replaces the owner of the ledger's rows by the pseudonym. It empties every
-- table with a "user_id" except those of the ledger, so that it also covers tables that later migrations add. Runs as
-- the owner of the tables, because the service may not change rows of the ledger. Returns null and does nothing if the
-- account is in use; refuses an account whose rows contradict each other.
CREATE FUNCTION {{schema}}.erase_user(person text, pseudonym text) RETURNS json LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  a record;
  has_account boolean;
  name text;
  removed bigint;
  others bigint := 0;
  chats bigint := 0;
  documents bigint := 0;
  transactions bigint := 0;
  old_period CONSTANT text := 'period:' || person || ':';
  new_period CONSTANT text := 'period:' || pseudonym || ':';
BEGIN
  PERFORM {{schema}}.begin_erasure(person);
  SELECT * INTO a FROM {{schema}}.credit_accounts WHERE user_id = person FOR UPDATE;
  has_account := FOUND;
  IF has_account THEN
    IF a.renewed_by <> 'none' OR a.allowance <> 0 OR a.topup <> 0 OR a.debt <> 0 OR a.open_holds <> 0 THEN
      RETURN NULL;
    END IF;
    INSERT INTO {{schema}}.erasures (pseudonym) VALUES (erase_user.pseudonym);
    UPDATE {{schema}}.credit_accounts SET user_id = erase_user.pseudonym WHERE user_id = person;
    WITH renamed AS (
      SELECT jsonb_populate_record(t, jsonb_build_object('user_id', erase_user.pseudonym,
        'reference', replace(t.reference, old_period, new_period))) AS entry
      FROM {{schema}}.credit_transactions t WHERE t.user_id = person
    ), chained AS (
      SELECT (r.entry).number, (r.entry).reference, {{schema}}.chain_digests(NULL, {{schema}}.transaction_text(r.entry))
        OVER (ORDER BY (r.entry).number) AS digest
      FROM renamed r
    )
    UPDATE {{schema}}.credit_transactions t
    SET user_id = erase_user.pseudonym, reference = c.reference, digest = c.digest
    FROM chained c WHERE t.user_id = person AND t.number = c.number;
    GET DIAGNOSTICS transactions = ROW_COUNT;
    UPDATE {{schema}}.credit_idempotency k
    SET user_id = erase_user.pseudonym, key = replace(k.key, old_period, new_period),
      -- The fingerprint of a reply is a digest of the person's request; that of an adjustment contains an operator's
      -- words.
      fingerprint = CASE WHEN starts_with(k.key, 'reply:') OR starts_with(k.fingerprint, 'adjust') THEN 'erased'
        ELSE k.fingerprint END
    WHERE k.user_id = person;
    UPDATE {{schema}}.credit_purchases p SET user_id = erase_user.pseudonym,
      seal = {{schema}}.purchase_seal(jsonb_populate_record(p, jsonb_build_object('user_id', erase_user.pseudonym)))
    WHERE p.user_id = person;
  ELSE
    -- This row lets "refuse_billing_change" permit the deletion of the person's payments.
    INSERT INTO {{schema}}.erasures (pseudonym) VALUES (erase_user.pseudonym);
  END IF;
  -- Undelivered events of moved credits are delivered under the pseudonym, because the ledger keeps their rows:
  -- "TYPES_OF_RECORD" of the core.
  UPDATE {{schema}}.event_deliveries e
  SET user_id = erase_user.pseudonym, data = e.data
    || jsonb_build_object('account', erase_user.pseudonym, 'key', replace(e.data ->> 'key', old_period, new_period))
  WHERE e.user_id = person AND e.state <> 'delivered'
    AND e.type IN ('credits.charged', 'credits.purchased', 'credits.refunded');
  FOR name IN
    SELECT c.relname FROM pg_class c JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'user_id'
    WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '{{schema}}.credit_accounts'::regclass) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY c.relname
  LOOP
    IF starts_with(name, 'credit_') THEN
      IF has_account THEN
        EXECUTE format('UPDATE {{schema}}.%I SET user_id = $2 WHERE user_id = $1', name)
          USING person, erase_user.pseudonym;
      END IF;
    ELSE
      EXECUTE format('DELETE FROM {{schema}}.%I WHERE user_id = $1', name) USING person;
      GET DIAGNOSTICS removed = ROW_COUNT;
      IF name = 'chats' THEN chats := removed;
      ELSIF name = 'documents' THEN documents := removed;
      ELSE others := others + removed; END IF;
    END IF;
  END LOOP;
  -- Stored events without an owner, for example those of unknown kinds, may contain the person's name and address. The
  -- function finds them by the person's customer ids at the payment provider, and deletes their content.
  UPDATE {{schema}}.payment_events SET payload = NULL
  WHERE owner IS NULL AND payload IS NOT NULL AND customer_id IN (
    SELECT substr(r.reference, 10) FROM {{schema}}.payment_references r
    WHERE r.owner = person AND starts_with(r.reference, 'customer:'));
  -- The owner 'erased:' makes the server ignore later payment events of the person.
  UPDATE {{schema}}.payment_references SET owner = 'erased:' WHERE owner = person;
  INSERT INTO {{schema}}.payment_references (reference, owner) VALUES ({{schema}}.erased_reference(person), 'erased:')
  ON CONFLICT DO NOTHING;
  UPDATE {{schema}}.payment_events SET owner = NULL, payload = NULL WHERE owner = person;
  DELETE FROM {{schema}}.rate_windows WHERE subject = person;
  -- The log of operators' actions keeps its entries, without the person's id.
  IF EXISTS (SELECT FROM {{schema}}.audit_log WHERE subject = person) THEN
    INSERT INTO {{schema}}.erasures (pseudonym) VALUES (erase_user.pseudonym) ON CONFLICT DO NOTHING;
    UPDATE {{schema}}.audit_log SET subject = erase_user.pseudonym, reason = NULL, details = '' WHERE subject = person;
  END IF;
  RETURN json_build_object('chats', chats, 'documents', documents, 'transactions', transactions, 'others', others);
END
$function$;
