-- compatible from 0032
-- The address from which an operator acted over HTTP; null for commands.
ALTER TABLE {{schema}}.audit_log ADD COLUMN address text;
