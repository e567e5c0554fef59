-- description: changes the payload of one random event; no index is touched, so it can be heap-only
-- dataset: events
-- shape: events inserts=0 updates=1 deletes=0 hot=0.5 initial=1
\set id random(1, :rows)
\set n random(1, 1000000)
UPDATE events SET payload = jsonb_set(payload, '{duration_ms}', to_jsonb(:n::int)) WHERE id = :id;
