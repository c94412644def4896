-- Credits: accounts, open holds, the append-only ledger and the used business keys. All amounts are whole credits,
-- bounded at 2^53 - 1, so that a JSON number represents each exactly. The owner's id leads every key.

CREATE TABLE {{schema}}.credit_accounts (
  user_id text COLLATE "C" NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 255),
  -- The catalog defines the tiers, so this column has no foreign key.
  tier text COLLATE "C" NOT NULL CHECK (char_length(tier) BETWEEN 1 AND 50),
  allowance bigint NOT NULL CHECK (allowance BETWEEN 0 AND 9007199254740991),
  topup bigint NOT NULL CHECK (topup BETWEEN 0 AND 9007199254740991),
  debt bigint NOT NULL CHECK (debt BETWEEN 0 AND 9007199254740991),
  -- The part of each bucket that open holds have set aside.
  held_allowance bigint NOT NULL CHECK (held_allowance BETWEEN 0 AND allowance),
  held_topup bigint NOT NULL CHECK (held_topup BETWEEN 0 AND topup),
  -- Number of open holds.
  open_holds bigint NOT NULL DEFAULT 0 CHECK (open_holds >= 0),
  -- The time from which the start of every period is computed.
  anchor timestamptz NOT NULL,
  period_start timestamptz NOT NULL,
  next_reset_at timestamptz NOT NULL CHECK (next_reset_at > period_start),
  -- The most that a plan grants in this period: a more expensive plan adds the difference.
  period_credits bigint NOT NULL DEFAULT 0 CHECK (period_credits BETWEEN 0 AND 9007199254740991),
  -- The trigger of the next period: the monthly job, the paid invoice of a subscription, or none if the account is
  -- closed.
  renewed_by text NOT NULL DEFAULT 'schedule' CHECK (renewed_by IN ('schedule', 'invoice', 'none')),
  -- From this time on the monthly job begins no period, because none is paid for. Null if there is no such time.
  renewed_until timestamptz,
  -- The tier from the next period on, if it was changed to a lower one.
  pending_tier text COLLATE "C" CHECK (char_length(pending_tier) BETWEEN 1 AND 50),
  -- The number of the newest transaction.
  transaction_count bigint NOT NULL CHECK (transaction_count >= 1),
  -- For each type of transaction, in the order of their list in the core: the number of rows, and the number of the
  -- newest.
  by_type bigint[] NOT NULL CHECK (cardinality(by_type) = 12),
  -- The number of the transaction that contains the current tier, dates and renewal.
  terms_transaction bigint NOT NULL CHECK (terms_transaction BETWEEN 1 AND transaction_count),
  -- Number of holds ever opened, and number of those that have ended.
  holds_opened bigint NOT NULL DEFAULT 0 CHECK (holds_opened >= holds_ended),
  holds_ended bigint NOT NULL DEFAULT 0 CHECK (holds_ended >= 0),
  -- The UTC day of the newest usage, counted from 1970-01-01; and for each kind of source, in the order of their list
  -- in the core, the credits charged on that day and those that open holds have set aside. Daily caps are compared with
  -- these.
  usage_day integer NOT NULL DEFAULT 0,
  usage_by_kind bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0,0,0}'
    CHECK (cardinality(usage_by_kind) = 8 AND 0 <= ALL (usage_by_kind)),
  -- Number of writes of the row: every write names the version from which it was decided.
  version bigint NOT NULL CHECK (version >= 1),
  PRIMARY KEY (user_id),
  CONSTRAINT credit_accounts_open_holds CHECK ((open_holds = 0) = (held_allowance = 0 AND held_topup = 0)),
  CONSTRAINT credit_accounts_held_by_kind CHECK (held_allowance + held_topup
    = usage_by_kind[2] + usage_by_kind[4] + usage_by_kind[6] + usage_by_kind[8]),
  CONSTRAINT credit_accounts_total CHECK (allowance + topup <= 9007199254740991),
  CONSTRAINT credit_accounts_debt_first CHECK (debt = 0 OR (held_allowance = allowance AND held_topup = topup))
) WITH (fillfactor = 80);
-- There is no index on columns that change often, so that an update of a row, even one that begins a new period,
-- touches no index and stays on its page (HOT). The reset finds due accounts by scanning in the order of the key.
-- Starting servers read the tiers in use.
CREATE INDEX credit_accounts_tier ON {{schema}}.credit_accounts (tier) WHERE renewed_by <> 'none';
CREATE INDEX credit_accounts_pending_tier ON {{schema}}.credit_accounts (pending_tier)
  WHERE pending_tier IS NOT NULL AND renewed_by <> 'none';

-- Only holds that have not ended, so that the table stays small regardless of the number of replies.
CREATE TABLE {{schema}}.credit_holds (
  user_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL CHECK (key <> ''),
  allowance bigint NOT NULL CHECK (allowance BETWEEN 0 AND 9007199254740991),
  topup bigint NOT NULL CHECK (topup BETWEEN 0 AND 9007199254740991),
  -- The period from whose allowance the hold was taken.
  period_start timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- The request in words: another request under the same key is refused.
  fingerprint text NOT NULL,
  -- The source that spends the credits: a chat, a bot, a meter or a key.
  source text COLLATE "C" NOT NULL
    CHECK (source = 'chat' OR source ~ '^(bot|meter|key):[A-Za-z0-9._~-]{1,100}$'),
  -- The call that opened the hold.
  reservation_id text NOT NULL,
  -- The draft of a receipt by which a sweeper charges the hold of a dead process.
  draft jsonb NOT NULL,
  -- The delivered output at the last renewal.
  output_tokens bigint NOT NULL DEFAULT 0 CHECK (output_tokens BETWEEN 0 AND 9007199254740991),
  -- A digest of all columns above, written when the hold was opened or last renewed.
  seal bytea NOT NULL,
  PRIMARY KEY (user_id, key),
  CHECK (allowance + topup BETWEEN 1 AND 9007199254740991)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- There is no index on expires_at: every reply would have to maintain it, and renewals could not stay on their page.
-- Sweepers scan the table, which is small.

CREATE TABLE {{schema}}.credit_transactions (
  user_id text COLLATE "C" NOT NULL,
  -- From 1 without gaps in each account.
  number bigint NOT NULL CHECK (number >= 1),
  type text NOT NULL CHECK (type IN ('usage', 'reset', 'topup', 'grant', 'refund', 'adjustment')),
  -- Signed; the sum over an account is allowance + topup - debt.
  amount bigint NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991),
  allowance_amount bigint NOT NULL CHECK (allowance_amount BETWEEN -9007199254740991 AND 9007199254740991),
  topup_amount bigint NOT NULL CHECK (topup_amount BETWEEN -9007199254740991 AND 9007199254740991),
  balance_after bigint NOT NULL CHECK (balance_after BETWEEN -9007199254740991 AND 9007199254740991),
  model text,
  -- The source that spent the credits; for usage alone, and for all usage.
  source text COLLATE "C",
  -- The payment whose purchase the row granted, took back or returned; for purchases alone.
  charge text COLLATE "C",
  -- The business fact behind the row.
  reference text NOT NULL CHECK (reference <> ''),
  created_at timestamptz NOT NULL,
  receipt jsonb,
  -- The buckets after the row, so that each row is proven by the previous one, and the account by the newest.
  allowance_after bigint NOT NULL CHECK (allowance_after BETWEEN 0 AND 9007199254740991),
  topup_after bigint NOT NULL CHECK (topup_after BETWEEN 0 AND 9007199254740991),
  -- From 1 without gaps among the account's rows of this type; and the number of the previous row of the type, 0 for
  -- the first.
  type_number bigint NOT NULL CHECK (type_number >= 1),
  previous bigint NOT NULL CHECK (previous BETWEEN 0 AND number - 1),
  -- The terms of the account, if this row changed them.
  tier text COLLATE "C",
  pending_tier text COLLATE "C",
  renewed_by text,
  renewed_until timestamptz,
  anchor timestamptz,
  period_start timestamptz,
  next_reset_at timestamptz,
  period_credits bigint,
  -- A digest of all columns above and of the previous row's digest, so that a manipulation is detected.
  digest bytea NOT NULL,
  PRIMARY KEY (user_id, number),
  CHECK ((type = 'usage') = (source IS NOT NULL)),
  CHECK (num_nulls(tier, renewed_by, anchor, period_start, next_reset_at, period_credits) IN (0, 6))
);
-- Every 64th row of each type: a page of one type is found in a few steps from one of them. Most rows are not in the
-- index.
CREATE INDEX credit_transactions_by_type ON {{schema}}.credit_transactions (user_id, type, type_number)
  WHERE type_number % 64 = 0;

-- The rows of each purchase: its grant, and the credits taken back. Most rows concern no purchase and are not in the
-- index.
CREATE INDEX credit_transactions_by_charge ON {{schema}}.credit_transactions (user_id, charge) WHERE charge IS NOT NULL;

-- Business keys whose operation is done, with the parts of their first answer.
CREATE TABLE {{schema}}.credit_idempotency (
  user_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL CHECK (key <> ''),
  fingerprint text NOT NULL,
  used_at timestamptz NOT NULL,
  -- The transaction that answers the key; null if a hold was released.
  number bigint,
  -- The hold that the key named, if it named one.
  hold_allowance bigint,
  hold_topup bigint,
  hold_period_start timestamptz,
  hold_expires_at timestamptz,
  -- From 1 without gaps in each account, in the order in which holds ended.
  hold_number bigint CHECK (hold_number >= 1),
  PRIMARY KEY (user_id, key),
  CHECK (num_nulls(hold_allowance, hold_topup, hold_period_start, hold_expires_at, hold_number) IN (0, 5)),
  CHECK (number IS NOT NULL OR hold_allowance IS NOT NULL)
);

-- The number of accounts ever opened, in parts so that connections count without waiting for each other.
CREATE TABLE {{schema}}.credit_openings (
  part integer PRIMARY KEY CHECK (part BETWEEN 0 AND 63),
  accounts bigint NOT NULL CHECK (accounts >= 1)
);

-- The content of a hold and of a transaction as one text, independent of the session's settings. A later column must be
-- appended here only if it has a value, so that the digests of rows without it stay valid. The bodies are texts, because
-- Postgres adds no column with a default to a table whose row type stands in a parsed body ("RETURN").
CREATE FUNCTION {{schema}}.hold_seal(h {{schema}}.credit_holds) RETURNS bytea LANGUAGE sql STABLE
AS $function$
SELECT sha256(convert_to(ROW(h.user_id, h.key, h.allowance, h.topup, extract(epoch FROM h.period_start),
  extract(epoch FROM h.expires_at), h.fingerprint, h.source, h.reservation_id, h.draft, h.output_tokens)::text, 'UTF8'))
$function$;

CREATE FUNCTION {{schema}}.transaction_text(t {{schema}}.credit_transactions) RETURNS text LANGUAGE sql STABLE
AS $function$
SELECT ROW(t.user_id, t.number, t.type, t.amount, t.allowance_amount, t.topup_amount, t.balance_after, t.model, t.source,
  t.charge, t.reference, extract(epoch FROM t.created_at), t.receipt, t.allowance_after, t.topup_after, t.type_number,
  t.previous, t.tier, t.pending_tier, t.renewed_by, extract(epoch FROM t.renewed_until), extract(epoch FROM t.anchor),
  extract(epoch FROM t.period_start), extract(epoch FROM t.next_reset_at), t.period_credits)::text
$function$;

-- The same rows with their digests, for writing a row as a whole.
CREATE FUNCTION {{schema}}.sealed(h {{schema}}.credit_holds) RETURNS {{schema}}.credit_holds LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  h.seal := {{schema}}.hold_seal(h);
  RETURN h;
END
$function$;

CREATE FUNCTION {{schema}}.with_digest(t {{schema}}.credit_transactions, digest bytea)
RETURNS {{schema}}.credit_transactions LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  t.digest := with_digest.digest;
  RETURN t;
END
$function$;

-- The digest of a row, from the digest of the previous row.
CREATE FUNCTION {{schema}}.link_digest(before bytea, content text) RETURNS bytea LANGUAGE sql IMMUTABLE
RETURN sha256(coalesce(before, '') || convert_to(content, 'UTF8'));

-- The same over consecutive rows; "before" is the digest before the first of them.
CREATE FUNCTION {{schema}}.next_digest(state bytea, before bytea, content text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE
AS $function$
BEGIN
  RETURN sha256(coalesce(state, before, '') || convert_to(content, 'UTF8'));
END
$function$;
CREATE AGGREGATE {{schema}}.chain_digests(bytea, text) (SFUNC = {{schema}}.next_digest, STYPE = bytea);

-- Written rows stay. The trigger also binds the owner of the tables, whom rights do not restrict.
CREATE FUNCTION {{schema}}.refuse_credit_change() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  RAISE EXCEPTION 'Rows of % are never changed or deleted; correct a balance with a new adjustment.', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$function$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {{schema}}.credit_transactions
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {{schema}}.credit_idempotency
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON {{schema}}.credit_openings
  FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.refuse_credit_change();

-- People read their own rows and change none; the ledger runs as the service.
ALTER TABLE {{schema}}.credit_accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.credit_accounts FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.credit_accounts TO parley_service USING (true);

ALTER TABLE {{schema}}.credit_holds ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.credit_holds FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.credit_holds TO parley_service USING (true);

ALTER TABLE {{schema}}.credit_transactions ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.credit_transactions FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.credit_transactions TO parley_service USING (true);

ALTER TABLE {{schema}}.credit_idempotency ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.credit_idempotency FOR SELECT TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.credit_idempotency TO parley_service USING (true);

ALTER TABLE {{schema}}.credit_openings ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.credit_openings TO parley_service USING (true);
