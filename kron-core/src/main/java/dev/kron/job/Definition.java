package dev.kron.job;

import dev.kron.job.JobSpec.Input;
import dev.kron.job.JobSpec.Output;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The hash by which nodes of a fleet compare what their files say of a job. It covers every field
 * that is not at its default, the version of the decisions, and the changes of the zone's clock
 * from 2020 to 2040, since nodes may have different zone data. A field that a later version adds
 * changes nothing for jobs that do not use it.
 */
public final class Definition {
  /** Changes when the same schedule would choose other seconds. */
  public static final int DECISION_VERSION = 1;

  private static final Instant FROM = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant TO = Instant.parse("2041-01-01T00:00:00Z");
  private static final Map<ZoneId, String> CHANGES = new ConcurrentHashMap<>();

  private final MessageDigest sha256;

  private Definition(MessageDigest sha256) {
    this.sha256 = sha256;
  }

  /** In lower-case hexadecimal digits. */
  public static String hash(JobSpec job) {
    var definition = new Definition(Sha256.digest());
    definition.put("decisions", Integer.toString(DECISION_VERSION));
    definition.put("schedule", job.schedule().canonical());
    definition.put("zone", CHANGES.computeIfAbsent(job.schedule().zone(), Definition::changes));
    definition.put("command", job.command());
    definition.put("shell", job.shell() ? "true" : null);
    definition.put("user", job.user());
    definition.put("group", job.group());
    definition.put("cwd", job.cwd());
    definition.put("env", job.environment());
    Integer umask = job.umask();
    definition.put("umask", umask == null ? null : Integer.toOctalString(umask));
    Duration timeout = job.timeout();
    definition.put("timeout", timeout == null ? null : timeout.toString());
    definition.put("stdout", output(job.stdout()));
    definition.put("stderr", output(job.stderr()));
    definition.put("description", job.description());
    definition.put("onfailure", job.onFailure());
    definition.put("then", job.then());
    definition.put("stdin", input(job.stdin()));
    definition.put("envfile", job.envfile());
    definition.put("profile", job.profile());
    definition.number("nice", job.nice(), 0);
    definition.retry(job.retry());
    definition.watch(job.watch());
    definition.fleet(job.fleet());
    return HexFormat.of().formatHex(definition.sha256.digest());
  }

  private void retry(RetryPolicy retry) {
    number("retries", retry.retries(), 0);
    number("retrydelay", retry.delayMillis(), RetryPolicy.NONE.delayMillis());
    number("retrymax", retry.longestMillis(), RetryPolicy.NONE.longestMillis());
    put("okexit", retry.okExit().equals(List.of(0)) ? null : retry.okExit().toString());
  }

  private void watch(JobWatch watch) {
    number("late", watch.lateMillis(), 0);
    number("expect", watch.expectMillis(), 0);
    number("least", watch.leastMillis(), 0);
    number("silent", watch.silentMillis(), 0);
  }

  private void fleet(@Nullable FleetRules fleet) {
    if (fleet != null) {
      put("on", fleet.on().equals(Placement.ANY) ? null : fleet.on().toString());
      put("loss", fleet.loss() == FleetRules.Loss.SKIP ? null : "rerun");
    }
  }

  private static @Nullable String input(Input input) {
    return switch (input) {
      case Input.Nothing nothing -> null;
      case Input.Cause cause -> "cause";
      case Input.File file -> "file:" + file.path();
    };
  }

  private static @Nullable String output(Output output) {
    return switch (output) {
      case Output.Inherit inherit -> null;
      case Output.Discard discard -> "discard";
      case Output.Syslog syslog -> "syslog";
      case Output.File file -> "file:" + file.path();
    };
  }

  private void number(String key, long value, long otherwise) {
    put(key, value == otherwise ? null : Long.toString(value));
  }

  private void put(String key, @Nullable String value) {
    put(key, value == null ? List.of() : List.of(value));
  }

  /** A key and its values, each with its length before it, so that no two lists look the same. */
  private void put(String key, List<String> values) {
    if (!values.isEmpty()) {
      text(key);
      text(Integer.toString(values.size()));
      values.forEach(this::text);
    }
  }

  private void text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    sha256.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
    sha256.update(bytes);
  }

  /** The offset at the beginning, and each change: when, and the offset after it. */
  private static String changes(ZoneId zone) {
    ZoneRules rules = zone.getRules();
    ZoneOffset first = rules.getOffset(FROM);
    var text = new StringBuilder().append(first.getTotalSeconds());
    ZoneOffsetTransition next = rules.nextTransition(FROM);
    while (next != null && next.getInstant().isBefore(TO)) {
      text.append(' ')
          .append(next.toEpochSecond())
          .append('/')
          .append(next.getOffsetAfter().getTotalSeconds());
      next = rules.nextTransition(next.getInstant());
    }
    return text.toString();
  }
}
