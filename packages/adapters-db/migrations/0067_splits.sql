-- compatible from 0032
-- The split of a cell: a replica of its database is promoted and becomes another cell, which takes some of the buckets with
-- the people in them. The README of "cells/splitting" has the steps.

-- In the global database: the splits under way.
CREATE TABLE {{schema}}.splits (
  -- The name of the new cell.
  target text COLLATE "C" PRIMARY KEY CHECK (target ~ '^[a-z][a-z0-9-]{0,39}$'),
  source text COLLATE "C" NOT NULL UNIQUE REFERENCES {{schema}}.cells (name),
  -- The buckets that the new cell takes. Until the end, they and their people change their cell in no other way.
  buckets smallint[] NOT NULL CHECK (cardinality(buckets) > 0),
  -- The version of the directory that the split has raised, and the one of its marks.
  version bigint NOT NULL CHECK (version > 0),
  -- The last time at which the split was seen running.
  at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE {{schema}}.splits ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.splits TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.splits TO parley_service;

-- "leaving": a split takes the owner along, so all writes are refused; the rows still live here. Only a split begins and ends
-- this state.
ALTER TABLE {{schema}}.moved_owners DROP CONSTRAINT moved_owners_state_check;
ALTER TABLE {{schema}}.moved_owners ADD CONSTRAINT moved_owners_state_check
  CHECK (state IN ('moving', 'arriving', 'leaving', 'moved', 'home'));
CREATE INDEX moved_owners_leaving ON {{schema}}.moved_owners (person) WHERE state = 'leaving';

-- The version of the split for which the owners that leave stand still. A copy that has it has all of their rows.
ALTER TABLE {{schema}}.this_cell ADD COLUMN frozen bigint;
-- The cell of which this database was a copy before a split made it another one; null for one that never was.
ALTER TABLE {{schema}}.this_cell ADD COLUMN copy_of text COLLATE "C";
-- False until the split has ended: a cancelled one leaves a copy, which must not become a cell later.
ALTER TABLE {{schema}}.this_cell ADD COLUMN taken boolean NOT NULL DEFAULT true;
