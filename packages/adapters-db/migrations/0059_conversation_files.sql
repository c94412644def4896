-- compatible from 0032
-- Files that visitors attach to their conversations with a bot: documents of the bot's owner. Each belongs to one
-- conversation alone and is deleted with it. The three columns are null for the owner's own documents. The documents
-- that are stored with the conversation (chats.document_ids) are its files.
ALTER TABLE {{schema}}.documents
  ADD COLUMN bot text COLLATE "C" CHECK (bot <> ''),
  ADD COLUMN visitor text COLLATE "C" CHECK (visitor <> ''),
  ADD COLUMN chat_id uuid,
  ADD CONSTRAINT documents_conversation_whole
    CHECK ((bot IS NULL) = (chat_id IS NULL) AND (visitor IS NULL) = (chat_id IS NULL)),
  ADD FOREIGN KEY (user_id, bot, visitor, chat_id) REFERENCES {{schema}}.chats (user_id, bot, visitor, id) ON DELETE CASCADE;
CREATE INDEX documents_of_conversations ON {{schema}}.documents (user_id, bot, visitor, chat_id) WHERE chat_id IS NOT NULL;
