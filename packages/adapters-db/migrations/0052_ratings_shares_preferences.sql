-- compatible from 0032
-- A reader's rating of a reply: {"rating": "good" or "bad", "comment": text}; null without one.
ALTER TABLE {{schema}}.messages ADD COLUMN rating jsonb;

-- The share of a chat: the secret of its link, the id of the last message of the shared branch, and the time. All three are
-- null unless the chat is shared.
ALTER TABLE {{schema}}.chats ADD COLUMN share_id text COLLATE "C", ADD COLUMN share_up_to uuid, ADD COLUMN shared_at timestamptz,
  ADD CONSTRAINT chats_share CHECK (
    (share_id IS NULL) = (share_up_to IS NULL) AND (share_id IS NULL) = (shared_at IS NULL) AND (share_id IS NULL OR bot = '')
  ) NOT VALID;
CREATE UNIQUE INDEX chats_shared ON {{schema}}.chats (share_id) WHERE share_id IS NOT NULL;

-- Preferences of people for the replies to their own chats.
CREATE TABLE {{schema}}.preferences (
  user_id text COLLATE "C" PRIMARY KEY CHECK (char_length(user_id) BETWEEN 1 AND 255),
  -- Instructions for the model; empty for none.
  instructions text NOT NULL,
  -- The id of the model that answers if a request names none; null for the first of the tier.
  model text,
  updated_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE {{schema}}.preferences ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON {{schema}}.preferences TO parley_user
  USING (user_id = current_setting('parley.user_id', true));
CREATE POLICY service ON {{schema}}.preferences TO parley_service USING (true);
GRANT SELECT, INSERT, UPDATE ON {{schema}}.preferences TO parley_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.preferences TO parley_service;
