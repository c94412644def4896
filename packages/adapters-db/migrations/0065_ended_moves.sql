-- compatible from 0032
-- The last time at which the assignment that takes the bucket from this cell was seen running. A mark of a bucket that
-- the directory still gives to this cell is of an assignment that runs, or of one that was interrupted.
ALTER TABLE {{schema}}.lost_buckets ADD COLUMN at timestamptz NOT NULL DEFAULT now();

-- The time for which the owner's writes were refused by the move away from this cell; null if no move away has ended.
ALTER TABLE {{schema}}.moved_owners ADD COLUMN refused_for interval;
