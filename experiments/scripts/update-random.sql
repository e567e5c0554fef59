-- description: changes user and type of one random event; both are indexed, so no update is heap-only
-- dataset: events
-- shape: events inserts=0 updates=1 deletes=0 hot=0 initial=1
\set id random(1, :rows)
\set user random(1, 1000000)
UPDATE events SET user_id = :user, event_type = 'click' WHERE id = :id;
