package dev.kron.cli;

import dev.kron.schedule.Schedule;

/** A schedule and the identity it is decided for: a job of a krontab, or two options. */
record ExplainedSubject(String identity, Schedule schedule) {}
