-- compatible from 0032
-- Only keys that begin with the person let a table be divided by person. The id of a share has 160 random bits, and needs no
-- unique key.
DROP INDEX {{schema}}.chats_shared;
CREATE INDEX chats_shared_by_id ON {{schema}}.chats (share_id) WHERE share_id IS NOT NULL;
