CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: the run. experiment is the resolved experiment as JSON.
CREATE TABLE run (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    question   TEXT NOT NULL,
    started    TEXT NOT NULL,
    ended      TEXT,
    stop       TEXT NOT NULL DEFAULT '',
    complete   INTEGER NOT NULL DEFAULT 0,
    tool       TEXT NOT NULL,
    command    TEXT NOT NULL,
    target     TEXT NOT NULL,
    experiment TEXT NOT NULL
) STRICT;

-- One row per session: a run that was resumed has several.
CREATE TABLE environment (
    session     INTEGER PRIMARY KEY,
    at          TEXT NOT NULL,
    fingerprint TEXT NOT NULL
) STRICT;

CREATE TABLE file (
    name    TEXT PRIMARY KEY,
    content BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE arm (
    arm      INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    baseline INTEGER NOT NULL
) STRICT;

-- What makes an arm what it is: settings, storage parameters, variables.
CREATE TABLE arm_change (
    arm    INTEGER NOT NULL REFERENCES arm,
    kind   TEXT NOT NULL,
    object TEXT NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (arm, kind, object, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE level (
    level   INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    clients INTEGER NOT NULL
) STRICT;

-- outcome is 'running' from the order to the end of the trial. phases, used,
-- host and checks are JSON objects (pgassay.Phases, ResourceUse, HostState and
-- the checks as they were when the trial ended). Times are UTC, seed is
-- unsigned and therefore text.
CREATE TABLE trial (
    trial           INTEGER PRIMARY KEY,
    block           INTEGER NOT NULL,
    position        INTEGER NOT NULL,
    arm             INTEGER NOT NULL REFERENCES arm,
    level           INTEGER NOT NULL REFERENCES level,
    attempt         INTEGER NOT NULL,
    seed            TEXT NOT NULL,
    outcome         TEXT NOT NULL,
    reason          TEXT NOT NULL DEFAULT '',
    started         TEXT NOT NULL,
    measure_started TEXT,
    ended           TEXT,
    measured_ns     INTEGER NOT NULL DEFAULT 0,
    template        TEXT NOT NULL DEFAULT '',
    setting_base    INTEGER,
    phases          TEXT NOT NULL DEFAULT '{}',
    used            TEXT NOT NULL DEFAULT '{}',
    host            TEXT NOT NULL DEFAULT '{}',
    checks          TEXT NOT NULL DEFAULT '[]',
    before_ns       INTEGER NOT NULL DEFAULT 0,
    after_ns        INTEGER NOT NULL DEFAULT 0
) STRICT;

-- pg_settings of the first trial of each server version, and per trial only
-- what differs from it (gone = 1: the setting is not there).
CREATE TABLE setting_base (
    base  INTEGER NOT NULL,
    name  TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (base, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial_setting (
    trial INTEGER NOT NULL REFERENCES trial,
    name  TEXT NOT NULL,
    gone  INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial_storage (
    trial    INTEGER NOT NULL REFERENCES trial,
    relation TEXT NOT NULL,
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (trial, relation, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE script (
    trial        INTEGER NOT NULL REFERENCES trial,
    position     INTEGER NOT NULL,
    script       TEXT NOT NULL,
    transactions INTEGER NOT NULL,
    row_count    INTEGER NOT NULL,
    failed       INTEGER NOT NULL,
    first_error  TEXT NOT NULL,
    PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- Failed transactions by SQLSTATE or class.
CREATE TABLE outcome (
    trial  INTEGER NOT NULL REFERENCES trial,
    script TEXT NOT NULL,
    class  TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (trial, script, class)
) STRICT, WITHOUT ROWID;

-- hdr_v2 is an HdrHistogram in the V2 compressed encoding, values in ns.
CREATE TABLE histogram (
    trial  INTEGER NOT NULL REFERENCES trial,
    script TEXT NOT NULL,
    kind   TEXT NOT NULL,
    hdr_v2 BLOB NOT NULL,
    PRIMARY KEY (trial, script, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
    trial  INTEGER NOT NULL REFERENCES trial,
    name   TEXT NOT NULL,
    object TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    at_ns  INTEGER NOT NULL,
    value  REAL NOT NULL,
    PRIMARY KEY (trial, name, object, seq)
) STRICT, WITHOUT ROWID;

-- Cumulative counters before the first client connects, and at both ends of
-- the measurement interval.
CREATE TABLE counter (
    trial  INTEGER NOT NULL REFERENCES trial,
    moment TEXT NOT NULL CHECK (moment IN ('start', 'before', 'after')),
    name   TEXT NOT NULL,
    value  REAL NOT NULL,
    PRIMARY KEY (trial, moment, name)
) STRICT, WITHOUT ROWID;

-- state is a pgassay.Relation as JSON.
CREATE TABLE relation (
    trial    INTEGER NOT NULL REFERENCES trial,
    moment   TEXT NOT NULL CHECK (moment IN ('start', 'before', 'after')),
    position INTEGER NOT NULL,
    relation TEXT NOT NULL,
    state    TEXT NOT NULL,
    PRIMARY KEY (trial, moment, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    trial       INTEGER NOT NULL REFERENCES trial,
    seq         INTEGER NOT NULL,
    at_ns       INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    object      TEXT NOT NULL,
    text        TEXT NOT NULL,
    numbers     TEXT NOT NULL,
    PRIMARY KEY (trial, seq)
) STRICT, WITHOUT ROWID;

-- What a sampler could not see, and why.
CREATE TABLE sampler (
    trial   INTEGER NOT NULL REFERENCES trial,
    seq     INTEGER NOT NULL,
    missing TEXT NOT NULL,
    PRIMARY KEY (trial, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE decision (
    seq  INTEGER PRIMARY KEY,
    at   TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

-- Made again from the tables above whenever a report is made.
CREATE TABLE derived_check (
    seq      INTEGER PRIMARY KEY,
    id       TEXT NOT NULL,
    trial    INTEGER NOT NULL,
    status   TEXT NOT NULL,
    severity TEXT NOT NULL,
    message  TEXT NOT NULL
) STRICT;

CREATE TABLE derived_estimate (
    arm    INTEGER NOT NULL,
    level  INTEGER NOT NULL,
    metric TEXT NOT NULL,
    mean   REAL,
    low    REAL,
    high   REAL,
    trials INTEGER NOT NULL,
    PRIMARY KEY (arm, level, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE derived_comparison (
    seq      INTEGER PRIMARY KEY,
    metric   TEXT NOT NULL,
    level    INTEGER NOT NULL,
    arm      INTEGER NOT NULL,
    base     INTEGER NOT NULL,
    factor   TEXT NOT NULL,
    value    TEXT NOT NULL,
    effect   REAL,
    low      REAL,
    high     REAL,
    blocks   INTEGER NOT NULL,
    verdict  TEXT NOT NULL,
    reason   TEXT NOT NULL
) STRICT;

-- One row per valid trial with the names spelt out.
CREATE VIEW cell AS
SELECT a.name AS arm, l.name AS level, t.block, t.trial,
       sum(s.transactions) AS transactions,
       sum(s.transactions) * 1e9 / t.measured_ns AS tps,
       sum(s.row_count) * 1e9 / t.measured_ns AS rows_per_s,
       sum(s.failed) AS failed
FROM trial t
JOIN arm a USING (arm)
JOIN level l USING (level)
JOIN script s USING (trial)
WHERE t.outcome = 'valid' AND t.measured_ns > 0
GROUP BY t.trial;

-- Samples with seconds and names.
CREATE VIEW series AS
SELECT s.trial, a.name AS arm, l.name AS level, t.block, s.name, s.object, s.at_ns / 1e9 AS at_s, s.value
FROM sample s
JOIN trial t USING (trial)
JOIN arm a USING (arm)
JOIN level l USING (level);

-- What happened in each trial, in order.
CREATE VIEW timeline AS
SELECT e.trial, a.name AS arm, l.name AS level, t.block, e.at_ns / 1e9 AS at_s, e.duration_ns / 1e9 AS duration_s,
       e.kind, e.object, e.text, e.numbers
FROM event e
JOIN trial t USING (trial)
JOIN arm a USING (arm)
JOIN level l USING (level)
ORDER BY e.trial, e.at_ns;
