-- Kron's tables for a fleet, version 1. Times are milliseconds since 1970 by kron.clock();
-- to_timestamp(x / 1000.0) makes them readable.
CREATE SCHEMA IF NOT EXISTS kron;

-- The one clock that decides. A test can replace it.
CREATE FUNCTION kron.clock() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE kron.schema_version (version integer PRIMARY KEY, since bigint NOT NULL DEFAULT kron.clock());

-- One row. A generation ends when the database is found to have gone back.
CREATE TABLE kron.fleet (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  generation bigint NOT NULL
);
INSERT INTO kron.fleet (generation) VALUES (1);

CREATE TABLE kron.node (
  node uuid PRIMARY KEY,
  name text NOT NULL,
  labels text[] NOT NULL,
  version text NOT NULL,
  session bigint NOT NULL,
  token uuid NOT NULL,
  writes bigint NOT NULL,          -- moves with each write of the node, and never back
  renewal bigint NOT NULL,
  lease bigint NOT NULL,
  lease_until bigint NOT NULL,
  clock_offset bigint NOT NULL,
  joined bigint NOT NULL,
  removed boolean NOT NULL DEFAULT false
);

-- One row for each job, and one for each job and node where every node runs it for itself. Never pruned.
CREATE TABLE kron.job (
  identity text COLLATE "C" NOT NULL,
  node uuid NOT NULL,
  definition text NOT NULL,        -- in force; in the shared row alone
  fingerprint text NOT NULL,
  place text NOT NULL,
  generation bigint NOT NULL,
  suspended boolean NOT NULL DEFAULT false,
  since bigint NOT NULL,           -- due times count from here
  counts_from bigint NOT NULL,     -- windows have to start later
  claims_from bigint NOT NULL,
  last_period bigint NOT NULL,     -- seconds; never moves back
  last_attempt integer NOT NULL DEFAULT 0,
  last_run text NOT NULL DEFAULT '',
  rerun boolean NOT NULL DEFAULT false,
  retry_at bigint,
  active_run text,
  active_node uuid,
  active_period bigint,
  active_attempt integer,
  active_since bigint,
  lost_since bigint,
  rerun_at bigint,
  PRIMARY KEY (identity, node)
) WITH (fillfactor = 50);           -- a claim and its end change no index: both fit into the page
CREATE INDEX job_waiting ON kron.job (identity) WHERE retry_at IS NOT NULL OR lost_since IS NOT NULL;
CREATE INDEX job_suspended ON kron.job (identity) WHERE suspended;

-- What each node's files say of a job.
CREATE TABLE kron.vote (
  identity text COLLATE "C" NOT NULL,
  node uuid NOT NULL,
  definition text NOT NULL,
  fingerprint text NOT NULL,
  place text NOT NULL,
  PRIMARY KEY (identity, node)
);
CREATE INDEX vote_node ON kron.vote (node);

-- The record, one row for each period that somebody took: first among those that go on, as far as
-- anybody knows, then among those that are settled, which leave after a while. No index has to be
-- written when a run ends but those of where it stays.
CREATE TABLE kron.open_run (
  run text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  row_node uuid NOT NULL,
  node uuid NOT NULL,
  kind text NOT NULL,
  period bigint NOT NULL,
  attempt integer NOT NULL,
  state text NOT NULL,             -- running, lost
  reason text NOT NULL,
  claimed bigint NOT NULL,
  PRIMARY KEY (identity, run)      -- one index for both: each claim and each end writes it
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE kron.settled_run (
  run text COLLATE "C" PRIMARY KEY,
  identity text COLLATE "C" NOT NULL,
  row_node uuid NOT NULL,
  node uuid NOT NULL,
  kind text NOT NULL,
  period bigint NOT NULL,
  attempt integer NOT NULL,
  state text NOT NULL,             -- released, ended
  outcome text,
  exit_code integer,
  reason text NOT NULL,
  overlap boolean NOT NULL DEFAULT false,
  claimed bigint NOT NULL,
  began bigint,
  ended bigint NOT NULL,
  output text NOT NULL DEFAULT ''
);
CREATE INDEX settled_run_job ON kron.settled_run (identity, period);
CREATE INDEX settled_run_claimed ON kron.settled_run (claimed);
CREATE INDEX settled_run_failed ON kron.settled_run (claimed)
  WHERE outcome IN ('failed', 'missed', 'unknown', 'unschedulable');

CREATE VIEW kron.run AS
  SELECT run, identity, row_node, node, kind, period, attempt, state, NULL::text AS outcome,
    NULL::integer AS exit_code, reason, false AS overlap, claimed, NULL::bigint AS began,
    NULL::bigint AS ended, ''::text AS output
  FROM kron.open_run
  UNION ALL
  SELECT run, identity, row_node, node, kind, period, attempt, state, outcome, exit_code, reason,
    overlap, claimed, began, ended, output
  FROM kron.settled_run;

CREATE TABLE kron.request (
  id text PRIMARY KEY,
  kind text NOT NULL,
  subject text NOT NULL,
  node text NOT NULL,
  asked_by text NOT NULL,
  asked bigint NOT NULL,
  expires bigint NOT NULL,
  state text NOT NULL,             -- open, done, void
  run text
);
CREATE INDEX request_open ON kron.request (expires) WHERE state = 'open';

INSERT INTO kron.schema_version (version) VALUES (1);
