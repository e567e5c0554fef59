-- description: reads one random event by its key
-- dataset: events
-- shape: events inserts=0 updates=0 deletes=0 hot=0
\set id random(1, :rows)
SELECT user_id, event_type, payload, created_at FROM events WHERE id = :id;
