-- The database itself enforces that balances and transactions agree, for every writer: a balance never changes without
-- a new transaction, and a transaction continues the previous balance and ends at its account's. If an account's number
-- of transactions was forged together with its balance, the next transaction is refused, and "parley credits verify"
-- finds it; it also finds changes made while triggers were disabled.

-- Compares two rows in memory; the cost for replies is not measurable.
CREATE FUNCTION {{schema}}.refuse_silent_credits() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  RAISE EXCEPTION 'A balance moves only with a transaction that says why; use "parley credits grant" or an adjustment.'
    USING ERRCODE = 'integrity_constraint_violation';
END
$function$;
CREATE TRIGGER no_silent_change AFTER UPDATE ON {{schema}}.credit_accounts FOR EACH ROW
  WHEN (NEW.transaction_count < OLD.transaction_count OR NEW.transaction_count = OLD.transaction_count
    AND (NEW.allowance, NEW.topup, NEW.debt) IS DISTINCT FROM (OLD.allowance, OLD.topup, OLD.debt))
  EXECUTE FUNCTION {{schema}}.refuse_silent_credits();

-- The counts of opened and ended holds never decrease, so that a deleted hold is detected.
CREATE FUNCTION {{schema}}.refuse_fewer_holds() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  RAISE EXCEPTION 'The holds that an account ever opened, and those that ended, never become fewer.'
    USING ERRCODE = 'integrity_constraint_violation';
END
$function$;
CREATE TRIGGER no_fewer_holds AFTER UPDATE ON {{schema}}.credit_accounts FOR EACH ROW
  WHEN (NEW.holds_opened < OLD.holds_opened OR NEW.holds_ended < OLD.holds_ended)
  EXECUTE FUNCTION {{schema}}.refuse_fewer_holds();

-- Increments the version if a manual change did not, so that servers notice the change.
CREATE FUNCTION {{schema}}.count_credit_write() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END
$function$;
CREATE TRIGGER writes_counted BEFORE UPDATE ON {{schema}}.credit_accounts FOR EACH ROW
  WHEN (NEW.version = OLD.version) EXECUTE FUNCTION {{schema}}.count_credit_write();

-- Checks all rows of a statement at once: about five microseconds a row. Plans stay in use while tables grow, so they
-- are restricted to look-ups of one row after another by its key.
CREATE FUNCTION {{schema}}.prove_transactions() RETURNS trigger LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off
AS $function$
BEGIN
  PERFORM FROM inserted i
  LEFT JOIN {{schema}}.credit_transactions p ON p.user_id = i.user_id AND p.number = i.number - 1
  LEFT JOIN {{schema}}.credit_accounts a ON a.user_id = i.user_id
  WHERE a.transaction_count IS NULL OR i.number > a.transaction_count
    OR (p.number IS NULL AND i.number > 1)
    OR i.balance_after <> coalesce(p.balance_after, 0) + i.amount
    OR i.allowance_after <> coalesce(p.allowance_after, 0) + i.allowance_amount
    OR i.topup_after <> coalesce(p.topup_after, 0) + i.topup_amount
    OR (i.number = a.transaction_count AND (i.balance_after, i.allowance_after, i.topup_after)
      <> (a.allowance + a.topup - a.debt, a.allowance, a.topup));
  IF FOUND THEN
    RAISE EXCEPTION 'A transaction does not lead from the balance before it to the balance of its account.'
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$function$;
CREATE TRIGGER transactions_proven AFTER INSERT ON {{schema}}.credit_transactions
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.prove_transactions();

-- A new account has its transactions by the end of the transaction that opens it, and is counted then. Connections
-- nearly always count in different parts, so that they do not wait for each other.
CREATE FUNCTION {{schema}}.prove_new_account() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM FROM {{schema}}.credit_transactions t WHERE t.user_id = NEW.user_id AND t.number = NEW.transaction_count;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'An account opens together with the transaction that gives its first credits.'
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  INSERT INTO {{schema}}.credit_openings AS o (part, accounts) VALUES (pg_backend_pid() % 64, 1)
  ON CONFLICT (part) DO UPDATE SET accounts = o.accounts + 1;
  RETURN NULL;
END
$function$;
CREATE CONSTRAINT TRIGGER new_account_proven AFTER INSERT ON {{schema}}.credit_accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {{schema}}.prove_new_account();

-- The transactions of an account are never deleted, so neither is the account.
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON {{schema}}.credit_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();
