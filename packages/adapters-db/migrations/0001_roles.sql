-- The two roles that statements run as: parley_user, under row-level security, and parley_service, which the policies
-- of every table admit. Roles belong to the whole cluster, so another database, or another schema of this one, may have
-- created them already or may be creating them now. The login uses their rights both by SET ROLE and by inheritance,
-- even if it is a NOINHERIT login.
DO $roles$
DECLARE
  role_names CONSTANT text[] := ARRAY['parley_user', 'parley_service'];
  -- From Postgres 16 on, each membership has its own INHERIT and SET options.
  per_grant CONSTANT boolean := current_setting('server_version_num')::integer >= 160000;
  options CONSTANT text := CASE WHEN per_grant THEN ' WITH INHERIT TRUE, SET TRUE' ELSE '' END;
  inherits CONSTANT boolean := (SELECT rolinherit FROM pg_roles WHERE rolname = current_user);
  role_name text;
  attempt integer;
  usable boolean;
  hint text;
BEGIN
  FOREACH role_name IN ARRAY role_names LOOP
    attempt := 0;
    LOOP
      attempt := attempt + 1;
      BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
          EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
        END IF;
        usable := pg_has_role(current_user, role_name, 'USAGE');
        IF usable AND per_grant THEN
          EXECUTE 'SELECT pg_has_role(current_user, $1, ''SET'')' INTO usable USING role_name;
        END IF;
        IF NOT usable THEN
          EXECUTE format('GRANT %I TO %I%s', role_name, current_user, options);
          IF NOT pg_has_role(current_user, role_name, 'USAGE') THEN
            RAISE insufficient_privilege;
          END IF;
        END IF;
        EXIT;
      EXCEPTION
        WHEN insufficient_privilege THEN
          SELECT coalesce(string_agg(format('CREATE ROLE %I; ', n.name), '' ORDER BY n.place), '') INTO hint
          FROM unnest(role_names) WITH ORDINALITY AS n(name, place)
          WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = n.name);
          IF NOT per_grant AND NOT inherits THEN
            hint := hint || format('ALTER ROLE %I INHERIT; ', current_user);
          END IF;
          RAISE insufficient_privilege USING MESSAGE = format(
            'The login %I may neither create the role %I nor join it. Let an administrator run: '
            '%sGRANT parley_user, parley_service TO %I%s;',
            current_user, role_name, hint, current_user, options
          );
        WHEN duplicate_object OR unique_violation OR internal_error THEN
          -- Another session created or granted the same role at the same moment: check again.
          IF attempt >= 20 THEN
            RAISE;
          END IF;
      END;
    END LOOP;
  END LOOP;
END
$roles$;

GRANT USAGE ON SCHEMA {{schema}} TO parley_user, parley_service;
