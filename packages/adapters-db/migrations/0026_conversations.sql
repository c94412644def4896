-- The owner of a bot names a conversation by its id alone, and exports all of them in its order, which no use changes.
CREATE INDEX chats_of_bots ON {{schema}}.chats (user_id, bot, id) WHERE bot <> '';
