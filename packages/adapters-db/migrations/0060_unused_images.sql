-- compatible from 0032
-- For the removal of images that no message has.
CREATE INDEX chat_images_unused ON {{schema}}.chat_images (created_at) WHERE chat_id IS NULL;
