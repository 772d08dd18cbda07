package dev.kron.simulation;

/** A rule that holds in every history, after every step. Each is a promise of the specification. */
public enum Invariant {
  AT_MOST_ONCE(
      "For each job, period and attempt the command is executed at most once, and without retries"
          + " there is one attempt."),
  ONE_EXECUTION_PER_RUN("A run's command is executed at most once, whoever starts it how often."),
  DURABLE_BEFORE_DONE(
      "Before a command is started, the job's file on the platter says that this run is intended;"
          + " before it is signalled, that it is being ended."),
  HANDLED_NEVER_GOES_BACK(
      "The last handled period of a job never moves back, but where an operator releases it."),
  OUTCOMES_ARE_PERMANENT(
      "A period or run has one terminal outcome. It is never changed, and leaves the history only"
          + " at its oldest end, when the history is full."),
  EXIT_CODES_ARE_TRUE(
      "A recorded exit code or signal is what the command really ended with; what did not run has"
          + " none."),
  UNKNOWN_ONLY_WHEN_UNKNOWABLE(
      "A run is recorded with an unknown exit code only where its record does not have it."),
  NOT_OVER_WHILE_IT_RUNS("A run is recorded as ended only when its command has ended."),
  BEGUN_IS_NEVER_MISSED("A run whose command began is recorded as executed, as nothing else."),
  PERIODS_ARE_TRUE(
      "Every period that a job handles is one that its schedule has, due at the second that the"
          + " published computation gives."),
  NOT_BEFORE_ITS_TIME("No period is started or recorded before it is due."),
  NO_BURST(
      "After an absence only the latest of the periods that fell due is looked at: no older one is"
          + " started or recorded."),
  DEADLINE("What is started after an absence is at most its deadline late, to the second."),
  MISSED_ONLY_WHEN_LATE(
      "A period is missed for lateness only beyond its deadline, and never one that fell due before"
          + " the eyes of a daemon that could act."),
  NO_OVERLAP(
      "Where the policy is forbid or replace, a command starts only when no other of its job"
          + " runs."),
  SUSPENDED_STARTS_NOTHING("A suspended job starts no period and records none."),
  CHANGES_HAVE_NO_PAST(
      "A job that is new, or whose schedule was changed, runs nothing that was due before that was"
          + " noticed."),
  LOST_MAY_HAVE_RUN(
      "After a job's file was quarantined, no period is started or recorded whose window had begun"
          + " by then: it may have run."),
  ANSWERS_ARE_DURABLE("What an operator is told to be done is on the platter by then."),
  EVERY_REQUEST_IS_ANSWERED("Every request of an operator is answered, done or refused."),
  BAD_FILES_CHANGE_NOTHING("A reload with an error in a file is refused, and all goes on."),
  ONE_DAEMON("A second daemon on the same state directory refuses to start."),
  NEWER_STATE_IS_REFUSED("State of a newer version makes the daemon refuse, and stays as it is."),
  RETRIED_ONLY_AFTER_FAILURE(
      "An attempt follows only a certain failure of the one before it, of the latest period, as"
          + " often and as late as the file says: never an unknown end, a replacement, an"
          + " operator's stop."),
  ATTEMPTS_FOLLOW_EACH_OTHER(
      "An attempt begins only when the one before it has ended, and none begins once a later period"
          + " is handled."),
  RETRIES_ARE_NOT_LOST(
      "An attempt that waits begins when its time has come, or is given up for a reason that the"
          + " specification names."),
  LINKS_FOLLOW_SUCCESSES(
      "A run of a chain follows a success of the job before it, and is begun at most once for"
          + " each."),
  LINKS_ARE_NOT_LOST(
      "For each success on record, of a job that others follow, each of them has a run or a skip on"
          + " record, soon, also by a later daemon."),
  INPUT_IS_THE_CAUSES_OUTPUT(
      "What follows another job's success, and reads its output, reads the output of the very run"
          + " that it follows; what has no cause reads nothing."),
  BOOTS_ARE_TRUE(
      "A run at a start of the machine is of the boot that the machine is in, of a job that was in"
          + " the files when a daemon was first ready in it, not before its second, and missed for"
          + " no deadline."),
  BOOTS_ARE_NOT_LOST(
      "When faults stop, every job that was there when a daemon was first ready in this boot, and"
          + " has been wanted since, has run in it or has its outcome on record."),
  MESSAGES_ARE_OWED_WITH_THE_OUTCOME(
      "The write that records a failure, or the success after it, has the message that somebody is"
          + " to get, where a rule says so."),
  MESSAGES_FOLLOW_THE_PROBLEM(
      "A problem of a job has one thread for each rule: one message opens it, one tells that it is"
          + " over, and between them there are reminders alone, none before its time."),
  MESSAGES_ARE_DURABLE(
      "What is sent is on the platter, as a debt of a job and in the outbox, before its first try,"
          + " by a daemon that can write."),
  MESSAGES_COME_ONCE(
      "A receiver gets a message twice only where its answer was lost, or where a daemon died, or"
          + " could not write, before it had noted that the message was sent."),
  MESSAGES_ARE_NOT_LOST(
      "When faults stop, each message that was ever owed has been delivered, or was given up and"
          + " said to be."),
  TOLD_AFTER_THE_LAST(
      "Nobody is told of a failure after which another attempt waits, or was begun."),
  ALERTED_AT_MOST_ONCE("The onfailure command runs at most once for each failure."),
  FAILURES_ARE_TOLD(
      "For each failure on record, of a job that names an onfailure command, that command is"
          + " started soon, also by a later daemon of the same boot."),
  LIMITS_ARE_KEPT(
      "Timeouts, the grace between TERM and KILL, the time of onfailure commands, and the limits"
          + " for starts, stops and checks of services come when they are due: never before, and"
          + " soon after where a daemon can act."),
  WHAT_RUNS_IS_WHAT_THE_FILE_SAYS(
      "What is executed is the command with the environment, user and times that the file says"
          + " which is in force."),
  CHECKS_DECIDE_IN_A_ROW(
      "A service fails by its check after so many failures in a row as its file says, never before,"
          + " and then it does."),
  LEFT_BEHIND_IS_TRUE(
      "A daemon that takes everything down with it says that something is left only where"
          + " something is, and nothing else where something is."),
  ONLY_OURS_IS_SIGNALLED(
      "Signals reach commands of runs that are being ended and alerts whose time is over, and"
          + " nobody else."),
  NOTHING_FALLS_OVER("No part of the daemon ends by an error that nobody handles."),
  STARTS_AGAIN("A daemon can be started on whatever an earlier one, or a loss of power, left."),
  EVERY_RUN_IS_RECORDED(
      "When faults stop, every command that began is in the history, with its end, but where a full"
          + " history has dropped it."),
  WHAT_IS_DUE_RUNS("When faults stop, every period that falls due is started, within a bound."),
  NOTHING_HANGS("When faults stop, no run stays active whose command has ended, within a bound."),
  NOT_BEFORE_WHAT_IT_REQUIRES(
      "No process of a service is started before everything that the service requires is up."),
  RUNNING_IS_TRUE(
      "A service is called Running only when its process was started and, where it has a check, a"
          + " check has passed since, and where it reports that it is ready, it did, or its time"
          + " is over and nobody may have listened."),
  READY_IS_NEVER_MISSED(
      "A service that reports in time that it is ready is never ended for being late, whether or"
          + " not a daemon was there to hear it, and is Running soon where one was."),
  ONE_PROCESS_PER_INSTANCE(
      "An instance of a service has at most one process, whichever daemon started or adopted it."),
  CONFLICTS_ARE_KEPT_APART("Services that conflict never run at the same time."),
  BACKOFF_IS_KEPT(
      "A restart by policy never follows the end sooner than the policy's delay for so many"
          + " restarts."),
  BACKOFF_IS_RESET(
      "When faults stop, whoever has run for its minimum of uptime has no restarts left on its"
          + " account."),
  RESTARTS_FOLLOW_THE_POLICY(
      "What is not to be restarted, or was given up, stays down until somebody asks for it."),
  RESTARTS_ARE_COUNTED(
      "The count of restarts goes back only where the policy, an operator or a new boot resets it;"
          + " no daemon's death does."),
  STOPPED_IN_REVERSE(
      "On request a service is stopped only when nothing runs any more that requires it."),
  SUPERVISOR_STATE_IS_SOUND(
      "The supervisor's file is whole at any moment, and keeps the invariants and contracts that"
          + " were written for it: INV-0101 to 0103, INV-0201 to 0203, CTR-0102, 0103 and 0303."),
  WISHES_ARE_KEPT(
      "What is wanted of a service is what operators asked for and were told, and what files say of"
          + " new ones: no crash, stop or reboot of anything changes it."),
  WANTED_UP_COMES_UP("When faults stop, every service that is wanted up comes up, within a bound."),
  WANTED_DOWN_GOES_DOWN(
      "When faults stop, no process is left of a service that is wanted down or is no more."),
  FLEET_AT_MOST_ONCE(
      "In the whole fleet there is at most one execution of each job's period and attempt, and of"
          + " each run that somebody asked for."),
  FLEET_COMMITTED_BEFORE_DONE(
      "A command begins only on the node whose claim of that run the database has confirmed."),
  FLEET_NO_OVERLAP(
      "Where the policy is forbid or replace, a command begins only when no other of its job runs"
          + " on any node, but where an operator released that; with loss=rerun not while the first"
          + " may run where its node's daemon lives."),
  FLEET_NO_BURST("A period is not claimed any more when the one after it is long due."),
  FLEET_DEADLINE(
      "A period that was due in everybody's absence is run within its deadline and missed after"
          + " it."),
  FLEET_PERIODS_ARE_TRUE(
      "Every period that is claimed is one that the schedule has, and due by the database's"
          + " clock."),
  FLEET_PLACES("A job runs only on nodes that its entry means."),
  FLEET_RETRIES(
      "An attempt follows only a certain failure of the one before it, as often and as late as the"
          + " file says; with loss=rerun one more follows a run that is lost."),
  FLEET_REQUESTS(
      "Nothing of a suspended job is claimed, nothing is claimed by a node that was removed, and"
          + " what somebody asked for is run where and as long as it was asked for."),
  FLEET_RESULTS_ARE_TRUE(
      "When faults stop, the records of all nodes that are there say how their runs really ended,"
          + " and what never began is not called open."),
  FLEET_WHAT_IS_DUE_RUNS(
      "When faults stop, every period that falls due, attempt that waits and run that is asked for"
          + " begins on some node within a bound, but of jobs that a lost run holds.");

  private final String text;

  Invariant(String text) {
    this.text = text;
  }

  /** The sentence of the invariant. */
  public String text() {
    return text;
  }
}
