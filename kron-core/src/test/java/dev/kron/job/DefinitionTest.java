package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.kron.job.FleetRules.Loss;
import dev.kron.job.JobSpec.Input;
import dev.kron.job.JobSpec.Output;
import dev.kron.schedule.Schedule;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class DefinitionTest {
  private static final FleetRules RULES = new FleetRules("a.kron", Placement.ANY, Loss.SKIP, "n1");

  private static JobSpec.Builder job(String schedule) {
    return JobSpec.builder("/etc/a.kron", "a", Schedule.parse(schedule), List.of("/bin/a", "b"))
        .fleet(RULES);
  }

  private static String hash(JobSpec.Builder job) {
    return Definition.hash(job.build());
  }

  /** Nodes of different versions compare this: it changes only together with what it covers. */
  @Test
  void isTheSameInEveryVersion() {
    assertEquals(
        "3dd5fe76e14ad771d54ff8f2cca5fc9c2833f258d53af52a30710197901424d5", hash(job("0 0 * * *")));
    assertEquals(
        "4f1c7b860c083fb90cc8bcdfffeefdbd55ff4cbfdcf834eb681bff61446cf134",
        hash(
            job("0 0 * * * @tz(Asia/Tokyo)")
                .environment(List.of("A=b"))
                .timeout(Duration.ofMinutes(5))));
  }

  @Test
  void dependsOnEveryFieldThatIsNotAtItsDefault() {
    List<UnaryOperator<JobSpec.Builder>> changes = new ArrayList<>();
    changes.add(job -> job.user("u"));
    changes.add(job -> job.group("u"));
    changes.add(job -> job.cwd("u"));
    changes.add(job -> job.environment(List.of("u")));
    changes.add(job -> job.environment(List.of("u", "v")));
    changes.add(job -> job.environment(List.of("uv")));
    changes.add(job -> job.umask(18));
    changes.add(job -> job.timeout(Duration.ofSeconds(18)));
    changes.add(job -> job.stdout(Output.Discard.DISCARD));
    changes.add(job -> job.stdout(Output.Syslog.SYSLOG));
    changes.add(job -> job.stdout(new Output.File("/u")));
    changes.add(job -> job.stderr(Output.Discard.DISCARD));
    changes.add(job -> job.description("u"));
    changes.add(job -> job.onFailure(List.of("u")));
    changes.add(job -> job.then(List.of("u")));
    changes.add(job -> job.stdin(Input.Cause.CAUSE));
    changes.add(job -> job.stdin(new Input.File("/u")));
    changes.add(job -> job.envfile("u"));
    changes.add(job -> job.profile("u"));
    changes.add(job -> job.nice(18));
    changes.add(job -> job.retry(new RetryPolicy(18, 30_000, 3_600_000, List.of(0))));
    changes.add(job -> job.retry(new RetryPolicy(0, 18, 3_600_000, List.of(0))));
    changes.add(job -> job.retry(new RetryPolicy(0, 30_000, 18, List.of(0))));
    changes.add(job -> job.retry(new RetryPolicy(0, 30_000, 3_600_000, List.of(0, 18))));
    changes.add(job -> job.watch(new JobWatch(18, 0, 0, 0)));
    changes.add(job -> job.watch(new JobWatch(0, 18, 0, 0)));
    changes.add(job -> job.watch(new JobWatch(0, 0, 18, 0)));
    changes.add(job -> job.watch(new JobWatch(0, 0, 0, 18)));
    changes.add(job -> job.fleet(new FleetRules("a.kron", Placement.ALL, Loss.SKIP, "n1")));
    changes.add(
        job -> job.fleet(new FleetRules("a.kron", new Placement("u", false), Loss.SKIP, "n1")));
    changes.add(job -> job.fleet(new FleetRules("a.kron", Placement.ANY, Loss.RERUN, "n1")));
    Set<String> hashes = new HashSet<>();
    hashes.add(hash(job("0 0 * * *")));
    for (int i = 0; i < changes.size(); i++) {
      assertEquals(i + 1, hashes.size(), "change " + (i - 1) + " gives no hash of its own");
      hashes.add(hash(changes.get(i).apply(job("0 0 * * *"))));
    }
    assertEquals(changes.size() + 1, hashes.size());
    var single = JobSpec.builder("/f", "a", Schedule.parse("0 0 * * *"), List.of("/bin/a"));
    assertNotEquals(hash(single), hash(single.shell(true)));
  }

  /** A component that is added to entries has to be decided upon here and in the hash. */
  @Test
  void knowsAllFields() {
    assertEquals(
        "[file, line, name, schedule, command, shell, user, group, cwd, envfile, environment,"
            + " profile, umask, timeout, stdin, stdout, stderr, description, onFailure, retry,"
            + " then, nice, watch, fleet]",
        Arrays.stream(JobSpec.class.getRecordComponents())
            .map(RecordComponent::getName)
            .toList()
            .toString());
  }

  @Test
  void doesNotDependOnHowItIsWrittenNorWhereItStands() {
    assertEquals(hash(job("0 0 * * *")), hash(job("00 0 * * * @tz(UTC)").line(7)));
    assertNotEquals(hash(job("0 0 * * *")), hash(job("0 0 * * * @policy(deadline=1m)")));
  }

  @Test
  void zonesWithTheSameClockDifferOnlyByTheirName() {
    assertNotEquals(
        hash(job("0 0 * * * @tz(Europe/Paris)")), hash(job("0 0 * * * @tz(Europe/Berlin)")));
  }
}
