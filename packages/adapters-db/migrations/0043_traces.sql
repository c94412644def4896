-- compatible from 0032
-- The trace in which an event was written, as a "traceparent" (W3C Trace Context), so that its delivery continues it. A
-- transaction that belongs to traces says so in "parley.traces": JSON with a trace for each account, or for "*".
ALTER TABLE {{schema}}.event_deliveries ADD COLUMN traceparent text;

CREATE FUNCTION {{schema}}.note_trace() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  traces CONSTANT jsonb := current_setting('parley.traces')::jsonb;
BEGIN
  NEW.traceparent := coalesce(traces ->> NEW.user_id, traces ->> '*');
  RETURN NEW;
END
$function$;
CREATE TRIGGER traced BEFORE INSERT ON {{schema}}.event_deliveries FOR EACH ROW
  WHEN (current_setting('parley.traces', true) <> '')
  EXECUTE FUNCTION {{schema}}.note_trace();
GRANT EXECUTE ON FUNCTION {{schema}}.note_trace() TO parley_service;
