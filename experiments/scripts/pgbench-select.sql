-- description: pgbench's select only (-S)
-- dataset: pgbench
-- shape: pgbench_accounts inserts=0 updates=0 deletes=0 hot=0
\set aid random(1, 100000 * :scale)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
