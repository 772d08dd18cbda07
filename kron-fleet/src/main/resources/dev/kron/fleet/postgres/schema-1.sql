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
  identity text NOT NULL,
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
);
CREATE INDEX job_waiting ON kron.job (identity) WHERE retry_at IS NOT NULL OR lost_since IS NOT NULL;
CREATE INDEX job_suspended ON kron.job (identity) WHERE suspended;
CREATE INDEX job_active ON kron.job (active_node) WHERE active_node IS NOT NULL;

-- What each node's files say of a job.
CREATE TABLE kron.vote (
  identity text NOT NULL,
  node uuid NOT NULL,
  definition text NOT NULL,
  fingerprint text NOT NULL,
  place text NOT NULL,
  PRIMARY KEY (identity, node)
);
CREATE INDEX vote_node ON kron.vote (node);

-- The record: one row for each period that somebody took. Settled ones leave after a while.
CREATE TABLE kron.run (
  run text PRIMARY KEY,
  identity text NOT NULL,
  row_node uuid NOT NULL,
  node uuid NOT NULL,
  kind text NOT NULL,
  period bigint NOT NULL,
  attempt integer NOT NULL,
  state text NOT NULL,             -- running, lost, released, ended
  outcome text,
  exit_code integer,
  reason text NOT NULL,
  overlap boolean NOT NULL DEFAULT false,
  claimed bigint NOT NULL,
  began bigint,
  ended bigint,
  output text NOT NULL DEFAULT ''
);
CREATE INDEX run_open ON kron.run (node) WHERE state IN ('running', 'lost');
CREATE INDEX run_ended ON kron.run (ended) WHERE state IN ('released', 'ended');
CREATE INDEX run_job ON kron.run (identity, period);
CREATE INDEX run_claimed ON kron.run (claimed);
CREATE INDEX run_failed ON kron.run (claimed)
  WHERE outcome IN ('failed', 'missed', 'unknown', 'unschedulable');

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
