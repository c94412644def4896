-- A bot's owner names a conversation by its id alone, and exports all of them in the order of this index, which new
-- messages do not change.
CREATE INDEX chats_of_bots ON {{schema}}.chats (user_id, bot, id) WHERE bot <> '';
