-- compatible from 0032
-- Sign-in by e-mail.

-- Sign-ins that wait for their code. Digests only: neither a code nor a browser's secret can be read from them.
CREATE TABLE {{schema}}.sign_ins (
  -- The SHA-256 of the secret in the browser's cookie.
  browser bytea PRIMARY KEY CHECK (octet_length(browser) = 32),
  -- The SHA-256 of that secret and the code.
  code bytea NOT NULL CHECK (octet_length(code) = 32),
  email text COLLATE "C" NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
  tries smallint NOT NULL DEFAULT 0 CHECK (tries >= 0),
  used boolean NOT NULL DEFAULT false,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_ins_by_end ON {{schema}}.sign_ins (expires_at);
CREATE INDEX sign_ins_by_email ON {{schema}}.sign_ins (email);

-- The person of each address that has signed in.
CREATE TABLE {{schema}}.sign_in_people (
  email text COLLATE "C" PRIMARY KEY CHECK (char_length(email) BETWEEN 3 AND 254),
  -- The user id.
  subject text COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  signed_in_at timestamptz NOT NULL
);

ALTER TABLE {{schema}}.sign_ins ENABLE ROW LEVEL SECURITY;
ALTER TABLE {{schema}}.sign_in_people ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON {{schema}}.sign_ins TO parley_service USING (true);
CREATE POLICY service ON {{schema}}.sign_in_people TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.sign_ins, {{schema}}.sign_in_people TO parley_service;

-- Removes the address of a person who is erased, too. Servers of the release before call it as well.
CREATE OR REPLACE FUNCTION {{schema}}.erase_access(id text) RETURNS void LANGUAGE sql AS $function$
  SELECT {{schema}}.change_access(id, 'sign-out');
  UPDATE {{schema}}.access SET subject = NULL WHERE person = sha256(convert_to(id, 'UTF8'));
  DELETE FROM {{schema}}.sign_ins s USING {{schema}}.sign_in_people p WHERE p.subject = id AND s.email = p.email;
  DELETE FROM {{schema}}.sign_in_people WHERE subject = id
$function$;
