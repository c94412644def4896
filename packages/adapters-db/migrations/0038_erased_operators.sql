-- compatible from 0032
-- Replaces the id and removes the addresses of an erased person who acted as an operator over HTTP. Called within the
-- erasure, after "erase_user". Runs as the owner of the tables, who alone may change an entry of the audit log.
CREATE FUNCTION {{schema}}.erase_operator(person text, pseudonym text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  IF EXISTS (SELECT FROM {{schema}}.audit_log WHERE operator = 'user:' || person) THEN
    -- This row lets "refuse_credit_change" permit the update.
    INSERT INTO {{schema}}.erasures (pseudonym) VALUES (erase_operator.pseudonym) ON CONFLICT DO NOTHING;
    UPDATE {{schema}}.audit_log SET operator = erase_operator.pseudonym, address = NULL
    WHERE operator = 'user:' || person;
  END IF;
END
$function$;
REVOKE ALL ON FUNCTION {{schema}}.erase_operator(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {{schema}}.erase_operator(text, text) TO parley_service;
