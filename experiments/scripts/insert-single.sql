-- description: ten single-row inserts in one transaction
-- dataset: events
-- shape: events inserts=10 updates=0 deletes=0 hot=0
BEGIN;
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
\set user random(1, 1000000)
INSERT INTO events (user_id, event_type, payload, created_at) VALUES (:user, 'view', jsonb_build_object('session', md5(:user::text), 'referrer', 'https://example.com/' || md5(:client_id::text), 'device', 'phone', 'duration_ms', :user::int, 'experiment', 'control', 'country', 'DE'), now());
END;
