-- description: updates one row of one of the sixteen tables of the ladder, each as often as the others
-- dataset: ladder
-- shape: ladder_01 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_02 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_03 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_04 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_05 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_06 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_07 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_08 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_09 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_10 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_11 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_12 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_13 inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_01_b inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_02_b inserts=0 updates=0.0625 deletes=0 hot=1
-- shape: ladder_03_b inserts=0 updates=0.0625 deletes=0 hot=1
\set t random(1, 16)
\set n random(1, 1000000)
\if :t = 1
\set id random(1, 10 * :percent)
UPDATE ladder_01 SET counter = counter + :n WHERE id = :id;
\elif :t = 2
\set id random(1, 20 * :percent)
UPDATE ladder_02 SET counter = counter + :n WHERE id = :id;
\elif :t = 3
\set id random(1, 40 * :percent)
UPDATE ladder_03 SET counter = counter + :n WHERE id = :id;
\elif :t = 4
\set id random(1, 80 * :percent)
UPDATE ladder_04 SET counter = counter + :n WHERE id = :id;
\elif :t = 5
\set id random(1, 160 * :percent)
UPDATE ladder_05 SET counter = counter + :n WHERE id = :id;
\elif :t = 6
\set id random(1, 320 * :percent)
UPDATE ladder_06 SET counter = counter + :n WHERE id = :id;
\elif :t = 7
\set id random(1, 640 * :percent)
UPDATE ladder_07 SET counter = counter + :n WHERE id = :id;
\elif :t = 8
\set id random(1, 1280 * :percent)
UPDATE ladder_08 SET counter = counter + :n WHERE id = :id;
\elif :t = 9
\set id random(1, 2560 * :percent)
UPDATE ladder_09 SET counter = counter + :n WHERE id = :id;
\elif :t = 10
\set id random(1, 5120 * :percent)
UPDATE ladder_10 SET counter = counter + :n WHERE id = :id;
\elif :t = 11
\set id random(1, 10240 * :percent)
UPDATE ladder_11 SET counter = counter + :n WHERE id = :id;
\elif :t = 12
\set id random(1, 20480 * :percent)
UPDATE ladder_12 SET counter = counter + :n WHERE id = :id;
\elif :t = 13
\set id random(1, 40960 * :percent)
UPDATE ladder_13 SET counter = counter + :n WHERE id = :id;
\elif :t = 14
\set id random(1, 10 * :percent)
UPDATE ladder_01_b SET counter = counter + :n WHERE id = :id;
\elif :t = 15
\set id random(1, 20 * :percent)
UPDATE ladder_02_b SET counter = counter + :n WHERE id = :id;
\elif :t = 16
\set id random(1, 40 * :percent)
UPDATE ladder_03_b SET counter = counter + :n WHERE id = :id;
\endif
