-- description: changes user and type of consecutive events in one statement; no update is heap-only
-- dataset: events
-- variable: batch = 10
-- shape: events inserts=0 updates=:batch deletes=0 hot=0 initial=1
-- Keys ascend within the statement, so that two batches do not deadlock.
\set id random(1, greatest(1, :rows - :batch + 1))
\set user random(1, 1000000)
UPDATE events SET user_id = :user + id, event_type = 'click' WHERE id IN (SELECT id FROM events WHERE id BETWEEN :id AND :id::bigint + :batch - 1 ORDER BY id FOR UPDATE);
