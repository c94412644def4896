-- compatible from 0032
-- Operators see the charges of the last days over all accounts. Rows are appended in the order of their time, so that the
-- range of times of every 16 pages is enough to find those of a day, and a reply that is charged has no entry to write.
CREATE INDEX credit_transactions_by_time ON {{schema}}.credit_transactions USING brin (created_at)
  WITH (pages_per_range = 16, autosummarize = on);
