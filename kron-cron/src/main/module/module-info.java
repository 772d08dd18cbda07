/** Cron expressions, and schedules with windows. */
module dev.kron.cron {
  requires static org.jspecify;

  exports dev.kron.cron;
  exports dev.kron.schedule;
  exports dev.kron.text;
}
