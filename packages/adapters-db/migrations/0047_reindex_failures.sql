-- Why re-indexing a document failed: kept in the row of its claim, which is released with it, until the document is
-- claimed again.
ALTER TABLE {{schema}}.reindex_claims ADD COLUMN failure text CHECK (char_length(failure) BETWEEN 1 AND 64);
