-- description: deletes one random event of those that were there at the start
-- dataset: events
-- shape: events inserts=0 updates=0 deletes=1 hot=0 initial=1
\set id random(1, :rows)
DELETE FROM events WHERE id = :id;
