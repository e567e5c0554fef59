-- description: one upsert of a random key through a plpgsql function; half of the keys are new at first
-- dataset: upsert
-- shape: upsert_target inserts=0.5 updates=0.5 deletes=0 hot=0.5
\set key random(1, :keys)
\set n random(1, 1000000)
SELECT upsert_key(:key, md5(:n::text));
