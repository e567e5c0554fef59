-- description: a batch of new events in one transaction
-- dataset: events
-- variable: batch = 10
-- shape: events inserts=:batch updates=0 deletes=0 hot=0
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) SELECT :user::bigint + i, 'view', jsonb_build_object('session', md5((:user::bigint + i)::text), 'referrer', 'https://example.com/' || md5(i::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now() FROM generate_series(1, :batch) AS i;
