-- The two roles statements run as: parley_user, under row-level security, and parley_service, which every table's
-- policies let through. They belong to the whole cluster, so that another database, or another schema of this one, may
-- have created them already, or be creating them now.
DO $roles$
DECLARE
  role_name text;
  attempt integer;
  usable boolean;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['parley_user', 'parley_service'] LOOP
    attempt := 0;
    LOOP
      attempt := attempt + 1;
      BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
          EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
        END IF;
        usable := pg_has_role(current_user, role_name, 'USAGE');
        IF usable AND current_setting('server_version_num')::integer >= 160000 THEN
          EXECUTE 'SELECT pg_has_role(current_user, $1, ''SET'')' INTO usable USING role_name;
        END IF;
        IF NOT usable THEN
          EXECUTE format('GRANT %I TO %I', role_name, current_user);
        END IF;
        EXIT;
      EXCEPTION
        WHEN insufficient_privilege THEN
          RAISE insufficient_privilege USING MESSAGE = format(
            'The login %I may neither create the role %I nor join it. Let an administrator run: '
            'CREATE ROLE parley_user; CREATE ROLE parley_service; GRANT parley_user, parley_service TO %I;',
            current_user, role_name, current_user
          );
        WHEN duplicate_object OR unique_violation OR internal_error THEN
          -- Somebody else created or granted the same at the same moment: look again.
          IF attempt >= 20 THEN
            RAISE;
          END IF;
      END;
    END LOOP;
  END LOOP;
END
$roles$;

GRANT USAGE ON SCHEMA {{schema}} TO parley_user, parley_service;
