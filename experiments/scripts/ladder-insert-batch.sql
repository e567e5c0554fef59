-- description: a batch of new rows in one of the three batch tables of the ladder
-- dataset: ladder
-- variable: batch = 100
-- shape: ladder_batch_1 inserts=0.333*:batch updates=0 deletes=0 hot=0
-- shape: ladder_batch_2 inserts=0.333*:batch updates=0 deletes=0 hot=0
-- shape: ladder_batch_3 inserts=0.333*:batch updates=0 deletes=0 hot=0
\set t random(1, 3)
\set n random(1, 1000000)
\if :t = 1
INSERT INTO ladder_batch_1 (batch, filler) SELECT :n, md5(i::text) FROM generate_series(1, :batch) AS i;
\elif :t = 2
INSERT INTO ladder_batch_2 (batch, filler) SELECT :n, md5(i::text) FROM generate_series(1, :batch) AS i;
\else
INSERT INTO ladder_batch_3 (batch, filler) SELECT :n, md5(i::text) FROM generate_series(1, :batch) AS i;
\endif
