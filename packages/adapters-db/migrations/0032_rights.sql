-- The rights of the two roles, in one place. Row-level security narrows those of "parley_user" to the rows of one person.
-- A later migration states the rights on what it creates.

-- chats
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.chats, {{schema}}.messages, {{schema}}.running_replies,
  {{schema}}.running_reply_texts TO parley_user, parley_service;

-- documents
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.documents, {{schema}}.file_parts TO parley_user, parley_service;

-- credits
GRANT SELECT, INSERT, UPDATE ON {{schema}}.credit_openings TO parley_service;
GRANT SELECT ON {{schema}}.credit_accounts, {{schema}}.credit_holds, {{schema}}.credit_transactions,
  {{schema}}.credit_idempotency TO parley_user;
GRANT SELECT, INSERT, UPDATE ON {{schema}}.credit_accounts TO parley_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.credit_holds TO parley_service;
GRANT SELECT, INSERT ON {{schema}}.credit_transactions, {{schema}}.credit_idempotency TO parley_service;

-- usage
GRANT SELECT ON {{schema}}.credit_usage TO parley_user;
GRANT SELECT, INSERT ON {{schema}}.credit_usage TO parley_service;

-- purchases
GRANT SELECT ON {{schema}}.credit_purchases TO parley_user;
GRANT SELECT, INSERT, UPDATE ON {{schema}}.credit_purchases TO parley_service;

-- passages
GRANT SELECT ON {{schema}}.passage_generations, {{schema}}.document_texts, {{schema}}.passages, {{schema}}.postings,
  {{schema}}.index_statistics, {{schema}}.term_statistics TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON {{schema}}.passage_generations, {{schema}}.document_texts, {{schema}}.passages, {{schema}}.postings,
  {{schema}}.index_statistics, {{schema}}.term_statistics TO parley_service;
GRANT EXECUTE ON FUNCTION {{schema}}.lexeme_of(text), {{schema}}.parts_of(text[]), {{schema}}.lexemes_among(tsvector, text[])
  TO parley_user, parley_service;
-- The role of a person cannot write the rows that counting writes.
REVOKE ALL ON FUNCTION {{schema}}.count_generations(text) FROM PUBLIC;

-- passage embeddings
GRANT SELECT ON {{schema}}.passage_embeddings TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.passage_embeddings TO parley_service;

-- reindexing
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.reindex_runs TO parley_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.reindex_claims TO parley_service;

-- search passages
GRANT EXECUTE ON FUNCTION {{schema}}.text_configuration(text), {{schema}}.folded_term(text),
  {{schema}}.passages_by_words(text, uuid[], text, integer, text[], text[], text, float8, float8, integer, integer),
  {{schema}}.passages_by_meaning(text, uuid[], real[], text, integer, integer, uuid[], integer[], text, integer),
  {{schema}}.passages_by_both(text, uuid[], text, integer, text[], text[], text, float8, float8, integer, integer, real[], text,
    integer, integer, text, integer)
  TO parley_user, parley_service;

-- index passages
GRANT EXECUTE ON FUNCTION {{schema}}.insert_document(text, uuid, text, text, bigint, text, float8, text, text, integer, integer,
  timestamptz, bigint, bigint) TO parley_user, parley_service;

-- near by index
GRANT EXECUTE ON FUNCTION {{schema}}.vector_index(text), {{schema}}.vector_index_type(integer, text),
  {{schema}}.vector_index_serves(text, uuid[], text, integer),
  {{schema}}.near_by_index(text, uuid[], real[], text, integer, text)
  TO parley_user, parley_service;

-- limits
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.rate_windows TO parley_service;

-- call limits
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.call_windows, {{schema}}.call_leases TO parley_service;

-- spend days
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.spend_days TO parley_service;

-- erase user
GRANT SELECT ON {{schema}}.erasures TO parley_service;
REVOKE ALL ON FUNCTION {{schema}}.erase_user(text, text) FROM PUBLIC;

-- billing
GRANT SELECT ON {{schema}}.billing_accounts, {{schema}}.billing_subscriptions, {{schema}}.billing_purchases TO parley_user;
GRANT SELECT, INSERT, UPDATE ON {{schema}}.billing_accounts, {{schema}}.billing_subscriptions,
  {{schema}}.payment_references, {{schema}}.payment_events TO parley_service;
GRANT SELECT, INSERT ON {{schema}}.billing_purchases TO parley_service;
GRANT SELECT, INSERT, DELETE ON {{schema}}.payment_waits TO parley_service;

-- payment upkeep
GRANT SELECT, INSERT, UPDATE ON {{schema}}.payment_catch_up TO parley_service;
GRANT DELETE ON {{schema}}.payment_events, {{schema}}.payment_references TO parley_service;

-- bots
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.bots TO parley_user, parley_service;
-- Keys are added and deleted, never changed.
GRANT SELECT, INSERT, DELETE ON {{schema}}.bot_keys, {{schema}}.bot_documents TO parley_user, parley_service;

-- sessions
GRANT SELECT, INSERT, DELETE ON {{schema}}.revoked_sessions TO parley_service;

-- audit
GRANT SELECT, INSERT ON {{schema}}.audit_log TO parley_service;

-- crm
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.crm_connections TO parley_user, parley_service;
GRANT USAGE ON SEQUENCE {{schema}}.crm_versions TO parley_user, parley_service;
GRANT SELECT, INSERT, DELETE ON {{schema}}.crm_spent_states TO parley_service;

-- file objects
GRANT SELECT, DELETE ON {{schema}}.file_objects TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.file_objects TO parley_service;
GRANT INSERT ON {{schema}}.file_garbage TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.file_garbage TO parley_service;

-- events
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.event_destinations TO parley_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.event_deliveries TO parley_service;
GRANT SELECT, INSERT, DELETE ON {{schema}}.low_balances TO parley_service;

-- On hardened databases no role may execute functions by default.
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {{schema}} TO parley_service;
