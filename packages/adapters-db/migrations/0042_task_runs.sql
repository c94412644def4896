-- compatible from 0032
-- The last runs of the tasks that one of all processes does, so that operators see one that ends no more.
CREATE TABLE {{schema}}.task_runs (
  task text COLLATE "C" PRIMARY KEY CHECK (task <> ''),
  -- When a run last began; none of a task that only recorded an end.
  begun_at timestamptz,
  -- When a run last ended well, and the number of problems that it found.
  ended_at timestamptz,
  findings bigint NOT NULL DEFAULT 0 CHECK (findings >= 0)
);
ALTER TABLE {{schema}}.task_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.task_runs TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.task_runs TO parley_service;

-- The age of the oldest hold tells operators of one that no process ends. Holds are written as whole rows, which
-- "sealed" completes, also those of processes that know nothing of the new column. No digest contains it.
ALTER TABLE {{schema}}.credit_holds ADD COLUMN opened_at timestamptz NOT NULL DEFAULT now();
CREATE OR REPLACE FUNCTION {{schema}}.sealed(h {{schema}}.credit_holds) RETURNS {{schema}}.credit_holds LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  h.seal := {{schema}}.hold_seal(h);
  h.opened_at := coalesce(h.opened_at, now());
  RETURN h;
END
$function$;
