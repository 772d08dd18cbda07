/** Tasks inside a program, by cron expressions. */
module dev.kron.scheduler {
  requires static org.jspecify;
  requires dev.kron.cron;
  requires org.slf4j;

  exports dev.kron.scheduler;
}
