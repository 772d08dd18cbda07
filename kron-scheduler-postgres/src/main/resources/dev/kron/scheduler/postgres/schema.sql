-- Kron's shared tasks, version 1. $schema is the schema's name.
CREATE SCHEMA IF NOT EXISTS $schema;

CREATE TABLE IF NOT EXISTS $schema.scheduler_version (
  version integer NOT NULL
);

-- What time it is for all instances.
CREATE OR REPLACE FUNCTION $schema.clock() RETURNS timestamptz
  LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()';

-- Who takes part. A lease is renewed every third of its length; one that is over, and its grace, makes
-- an instance lost.
CREATE TABLE IF NOT EXISTS $schema.scheduler_instance (
  scheduler    text        NOT NULL,
  id           text        NOT NULL,
  host         text        NOT NULL,
  joined_at    timestamptz NOT NULL,
  renewal      bigint      NOT NULL,
  lease_until  timestamptz NOT NULL,
  lost_at      timestamptz NOT NULL,
  tasks        text[]      NOT NULL,
  PRIMARY KEY (scheduler, id)
);

-- One row for each task. Every change raises its version, which is the fencing token of a start and begins
-- with the number of the transaction that made the row; changed_by says in which transaction it changed last.
-- Half of each page is left free, and what changes is in no index but one of ranges: so a change stays in its
-- page and has no index to write, from PostgreSQL 16 on.
CREATE TABLE IF NOT EXISTS $schema.scheduler_task (
  scheduler       text        NOT NULL,
  name            text        NOT NULL,
  version         bigint      NOT NULL,
  changed_by      xid8        NOT NULL,
  cron_expression text        NOT NULL,
  retry_delay     text        NOT NULL,
  zone            text        NOT NULL,
  options         text        NOT NULL,
  last_attempt_at timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  retry_at        timestamptz,
  running_under   text,
  attempts        integer     NOT NULL,
  scheduled_at    timestamptz,
  paused_at       timestamptz,
  PRIMARY KEY (scheduler, name)
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS scheduler_task_changes ON $schema.scheduler_task
  USING brin ((changed_by::text::bigint)) WITH (pages_per_range = 16, autosummarize = on);

INSERT INTO $schema.scheduler_version
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM $schema.scheduler_version);
