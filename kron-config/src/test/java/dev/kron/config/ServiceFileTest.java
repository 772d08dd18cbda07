package dev.kron.config;

import static dev.kron.config.ServiceTexts.service;
import static dev.kron.config.ServiceTexts.serviceWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.service.Dependencies;
import dev.kron.service.ExitCodes;
import dev.kron.service.HealthCheck;
import dev.kron.service.HealthCheck.Probe;
import dev.kron.service.Hooks;
import dev.kron.service.Lifecycle;
import dev.kron.service.LogLimits;
import dev.kron.service.ReadySignal;
import dev.kron.service.ServiceSpec;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceFileTest {

  /** The file that the specification shows. */
  static final String EVERYTHING =
      """
      [service]
      name = "web"                        # default: the file's name
      type = "simple"                     # simple | oneshot | target
      exec = "/usr/bin/web --port 8080"   # split into words as in a krontab; or a list of words
      shell = false
      instances = 2
      autostart = true
      user = "www"
      group = "web"
      cwd = "/srv/web"
      umask = "0027"
      description = "the shop"

      [service.env]
      MODE = "prod"
      EMPTY = ""

      [dependencies]
      requires = ["db"]
      wants = ["cache"]
      after = ["migrate"]
      conflicts = ["maintenance"]

      [lifecycle]
      ready = "fd:4"
      restart = "always"
      restart_delay_ms = 500
      restart_delay_max_ms = 60000
      max_restarts = 0
      start_timeout_ms = 20000
      stop_timeout_ms = 5000
      stop_signal = "SIGINT"
      min_uptime_ms = 250
      start_stable_ms = 300
      success_exit_codes = [143, 3]
      no_restart_exit_codes = [78]

      [health]
      exec = "curl -fs localhost:8080/up"
      interval_ms = 4000
      timeout_ms = 1000
      retries = 5

      [hooks]
      before_start = "/usr/bin/web --migrate %i"
      after_stop = ["rm", "-f", "/run/my lock"]
      reload = "web reload"
      onfailure = "mail -s 'web is down' ops"
      timeout_ms = 7000

      [credentials]
      profile = "shop-prod"

      [log]
      max_size = "20MiB"
      keep = 7
      """;

  @Test
  void readsEverything() {
    assertEquals(
        ServiceSpec.builder(
                "web", ServiceSpec.Type.SIMPLE, List.of("/usr/bin/web", "--port", "8080"))
            .file("/etc/krond.d/web.toml")
            .line(2)
            .instances(2)
            .user("www")
            .group("web")
            .cwd("/srv/web")
            .umask(0027)
            .description("the shop")
            .environment(List.of("MODE=prod", "EMPTY="))
            .dependencies(
                new Dependencies(
                    List.of("db"), List.of("cache"), List.of("migrate"), List.of("maintenance")))
            .lifecycle(
                new Lifecycle(
                    Lifecycle.Restart.ALWAYS,
                    500,
                    60_000,
                    0,
                    20_000,
                    5_000,
                    "SIGINT",
                    250,
                    300,
                    new ExitCodes(Set.of(3, 143), Set.of(78))))
            .readySignal(new ReadySignal.Descriptor(4))
            .health(
                new HealthCheck(
                    new Probe.Exec(List.of("curl", "-fs", "localhost:8080/up")), 4_000, 1_000, 5))
            .hooks(
                new Hooks(
                    List.of("/usr/bin/web", "--migrate", "%i"),
                    List.of("rm", "-f", "/run/my lock"),
                    List.of("web", "reload"),
                    List.of("mail", "-s", "web is down", "ops"),
                    7_000))
            .credentialProfile("shop-prod")
            .log(new LogLimits(20L << 20, 7))
            .build(),
        service(EVERYTHING));
  }

  @Test
  void hasADefaultForEverythingButExec() {
    assertEquals(
        ServiceSpec.builder("web", ServiceSpec.Type.SIMPLE, List.of("/bin/web"))
            .file("/etc/krond.d/web.toml")
            .lifecycle(
                new Lifecycle(
                    Lifecycle.Restart.ON_FAILURE,
                    1_000,
                    300_000,
                    10,
                    30_000,
                    10_000,
                    "SIGTERM",
                    10_000,
                    1_000,
                    ExitCodes.STANDARD))
            .log(new LogLimits(10L << 20, 5))
            .build(),
        service("[service]\nexec = \"/bin/web\"\n"));
  }

  @Test
  void resetsTheBackoffAtOnceWhereAHealthCheckVouches() {
    assertEquals(
        0, serviceWith("[health]\ntcp = \"localhost:80\"\n").lifecycle().minUptimeMillis());
    HealthCheck check = serviceWith("[health]\ntcp = \"localhost:80\"\n").health();
    assertEquals(new HealthCheck(new Probe.Tcp("localhost", 80), 5_000, 2_000, 3), check);
  }

  @Test
  void hooksAreTextsForTheShellWhereThatIsSaid() {
    Hooks hooks = serviceWith("[hooks]\nshell = true\nreload = 'kill -HUP $MAINPID'\n").hooks();
    assertEquals(List.of("/bin/sh", "-c", "kill -HUP $MAINPID"), hooks.reload());
    assertEquals(List.of(), hooks.beforeStart());
    assertEquals(30_000, hooks.timeoutMillis());
  }

  @Test
  void asksByHttpOrTcp() {
    assertEquals(
        new Probe.Http(URI.create("https://localhost:8443/up?deep=1")),
        probe("http = \"https://localhost:8443/up?deep=1\""));
    assertEquals(new Probe.Tcp("::1", 5432), probe("tcp = \"[::1]:5432\""));
    assertEquals(new Probe.Exec(List.of("a b", "c")), probe("exec = [\"a b\", \"c\"]"));
  }

  private static Probe probe(String line) {
    HealthCheck health = serviceWith("[health]\n" + line + "\n").health();
    return health == null ? new Probe.Exec(List.of("none")) : health.probe();
  }

  @Test
  void takesWordsAsTheyAre() {
    assertEquals(
        List.of("/bin/sh", "-c", "echo $HOME; exit 1"),
        service("[service]\nexec = ['/bin/sh', '-c', 'echo $HOME; exit 1']\n").exec());
    assertEquals(
        List.of("/bin/echo", "a b", "it's", "$HOME"),
        service("[service]\nexec = '''/bin/echo \"a b\" it\\'s $HOME'''\n").exec());
  }

  @Test
  void leavesAShellItsWholeText() {
    ServiceSpec spec = service("[service]\nshell = true\nexec = \"tail -f /x | grep y\"\n");
    assertTrue(spec.shell());
    assertEquals(List.of("tail -f /x | grep y"), spec.exec());
  }

  @Test
  void makesATargetOfNoProcessAtAll() {
    ServiceSpec spec =
        service("[service]\ntype = \"target\"\n[dependencies]\nrequires = [\"a\", \"b\"]\n");
    assertTrue(spec.isTarget());
    assertEquals(List.of(), spec.exec());
  }

  @Test
  void takesAUserByNumberToo() {
    assertEquals("1000", serviceWith("user = 1000\n").user());
    assertEquals("1000", serviceWith("user = \"1000\"\n").user());
  }

  @ParameterizedTest
  @CsvSource({"\"0022\",022", "0o022,022", "0,0", "\"777\",0777", "0o0,0"})
  void readsAnUmaskAsPeopleWriteIt(String written, String octal) {
    assertEquals(Integer.parseInt(octal, 8), serviceWith("umask = " + written + "\n").umask());
  }

  @ParameterizedTest
  @CsvSource({
    "\"10MiB\",10485760",
    "\"10 MiB\",10485760",
    "\"64kib\",65536",
    "\"1GB\",1000000000",
    "\"100000B\",100000",
    "1048576,1048576",
    "\"1TiB\",1099511627776"
  })
  void readsSizes(String written, long bytes) {
    assertEquals(bytes, serviceWith("[log]\nmax_size = " + written + "\n").log().maxSizeBytes());
  }

  @ParameterizedTest
  @CsvSource({"SIGHUP,SIGHUP", "usr1,SIGUSR1", "TERM,SIGTERM", "SigQuit,SIGQUIT"})
  void knowsSignalsByName(String written, String signal) {
    assertEquals(
        signal,
        serviceWith("[lifecycle]\nstop_signal = \"" + written + "\"\n").lifecycle().stopSignal());
  }

  @Test
  void letsALongDelayRaiseTheLargestOne() {
    Lifecycle lifecycle = serviceWith("[lifecycle]\nrestart_delay_ms = 600000\n").lifecycle();
    assertEquals(600_000, lifecycle.restartDelayMaxMillis());
  }

  @Test
  void acceptsWindowsLineEndsAsTomlDoes() {
    assertEquals("web", service("[service]\r\nexec = \"/bin/web\"\r\n").name());
  }

  @Test
  void knowsNothingOfABrokenFileButItsName() {
    ServiceFile file = ServiceTexts.parse("[service]\nname = \"shop\"\nexec = 3\n");
    assertNull(file.service());
    assertFalse(file.isValid());
    assertEquals("shop", file.name());
    assertEquals("web", ServiceTexts.parse("[[[").name());
  }
}
