-- compatible from 0032
-- Events that back ends read over HTTP, of the destination "feed". The first reader after an event's commit gives it its
-- place, one reader at a time, so that no event gets a place before one that was read already.
ALTER TABLE {{schema}}.event_deliveries ADD COLUMN place bigint;
CREATE INDEX event_deliveries_read ON {{schema}}.event_deliveries (destination, place) WHERE place IS NOT NULL;
CREATE INDEX event_deliveries_unread ON {{schema}}.event_deliveries (created_at, event_id)
  WHERE destination = 'feed' AND place IS NULL;
CREATE SEQUENCE {{schema}}.event_places;
GRANT USAGE ON SEQUENCE {{schema}}.event_places TO parley_service;
