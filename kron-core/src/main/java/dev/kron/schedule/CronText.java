package dev.kron.schedule;

import dev.kron.cron.CronExpression;

final class CronText {
  private CronText() {}

  static String of(CronExpression cron) {
    return cron.text().trim().replaceAll("[ \t]+", " ");
  }
}
