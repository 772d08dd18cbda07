package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands of somebody else, which only root may start. */
class OtherUserTest {

  @TempDir Path root;
  private final Users users = new SystemUsers();
  private Workshop workshop;
  private Users.Account account;
  private Credentials credentials;

  @BeforeEach
  void open() throws IOException {
    assumeTrue(users.mayBecomeOthers(), "needs root");
    Optional<Users.Account> known = users.user("daemon");
    assumeTrue(known.isPresent(), "needs a user called daemon");
    account = known.get();
    credentials =
        new Credentials(account.name(), account.uid(), account.gid(), List.of(account.gid(), 4242));
    workshop = new Workshop(root);
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void close() {
    if (workshop != null) {
      workshop.close();
    }
  }

  private Launch as(Launch launch) {
    return Workshop.as(launch, credentials);
  }

  @Test
  void hasTheUsersIdsAndNothingOfTheDaemons() {
    Run run = workshop.run();
    workshop.finish(
        as(Workshop.launch(run, "grep", "-E", "^(Uid|Gid|Groups|Cap)", "/proc/self/status")));
    String status = Workshop.text(run.stdout()).replaceAll("[ \t]+", " ");
    String uid = " " + account.uid();
    String gid = " " + account.gid();
    assertTrue(status.contains("Uid:" + uid + uid + uid + uid + "\n"), status);
    assertTrue(status.contains("Gid:" + gid + gid + gid + gid + "\n"), status);
    assertTrue(status.contains("Groups:" + gid + " 4242 \n"), status);
    for (String set : List.of("CapInh", "CapPrm", "CapEff", "CapAmb")) {
      assertTrue(status.contains(set + ": 0000000000000000"), status);
    }
  }

  @Test
  void theEnvironmentIsExactlyTheOneGiven() {
    Run run = workshop.run();
    Launch launch =
        as(
            Workshop.with(
                Workshop.launch(run, "env", "-0"),
                CommandSurroundingsTest.TRAPS.toArray(String[]::new)));
    assertEquals(new RunStatus.Ended(0, null), workshop.finish(launch));
    assertEquals(
        new TreeSet<>(launch.environment()),
        new TreeSet<>(List.of(Workshop.text(run.stdout()).split("\0"))));
    assertEquals("", Workshop.text(run.stderr()));
  }

  @Test
  void theKeeperStaysOutOfTheUsersReach() throws IOException {
    Run run = workshop.run();
    ProcessIdentity keeper =
        workshop.start(
            as(Workshop.shell(run, "kill -9 $PPID 2>/dev/null; echo up; exec sleep 300")));
    Workshop.untilItSays(run, "up");
    assertTrue(workshop.processes().isAlive(keeper));
    assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.TERM));
    assertEquals(new RunStatus.Ended(143, 15), workshop.await(run));
  }

  @Test
  void checksWhatTheUserMayExecute() throws IOException {
    Path program = Files.writeString(root.resolve("mine"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    expect(
        Stage.EXEC,
        "may not be executed by user daemon",
        as(Workshop.launch(workshop.run(), program.toString())));
  }

  @Test
  void checksWhereTheUserMayGo() throws IOException {
    Path closed = Files.createDirectory(root.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    expect(
        Stage.CWD,
        "Permission denied",
        as(Workshop.in(Workshop.launch(workshop.run(), "true"), closed)));
  }

  @Test
  void goesNowhereWithTheKeepersRights() throws IOException {
    Path place = Files.createDirectory(root.resolve("place"));
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    Run run = workshop.run();
    Prepared prepared =
        workshop.processes().prepare(as(Workshop.in(Workshop.shell(run, "pwd"), place)));
    // It was open when it was checked.
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwx------"));
    var _ = prepared.start();
    assertEquals(new RunStatus.Ended(126, null), workshop.await(run));
    assertEquals("", Workshop.text(run.stdout()));
  }

  @Test
  void writesOnlyWhereTheUserMayWrite() throws IOException {
    expect(Stage.OUTPUT, "Permission denied", appending(root.resolve("not-yours")));
    assertTrue(Files.notExists(root.resolve("not-yours")));

    Path open = Files.createDirectory(root.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path log = open.resolve("log");
    assertEquals(new RunStatus.Ended(0, null), workshop.finish(appending(log)));
    PosixFileAttributes attributes = Files.readAttributes(log, PosixFileAttributes.class);
    assertEquals("daemon", attributes.owner().getName());
    assertEquals(PosixFilePermissions.fromString("rw-------"), attributes.permissions());
    assertEquals("out\n", Files.readString(log));
  }

  @Test
  void isNotLuredOutOfAUsersDirectory() throws IOException {
    Path precious = Files.writeString(root.resolve("precious"), "as it was\n");
    Files.setPosixFilePermissions(precious, PosixFilePermissions.fromString("rw-------"));
    Path open = Files.createDirectory(root.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path link = Files.createSymbolicLink(open.resolve("log"), precious);
    expect(Stage.OUTPUT, "is a symbolic link", appending(link));
    Files.createSymbolicLink(open.resolve("way"), root);
    expect(Stage.OUTPUT, "Permission denied", appending(open.resolve("way/precious")));
    assertEquals("as it was\n", Files.readString(precious));
  }

  @Test
  void readsOnlyWhatTheUserMayRead() throws IOException {
    Path secret = Files.writeString(root.resolve("secret"), "not for them\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Path open = Files.createDirectory(root.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    expect(Stage.STDIN, "Permission denied", reading(secret));
    Path link = Files.createSymbolicLink(open.resolve("data"), secret);
    expect(Stage.STDIN, "is a symbolic link", reading(link));
    Files.createSymbolicLink(open.resolve("way"), root);
    expect(Stage.STDIN, "Permission denied", reading(open.resolve("way/secret")));
    Path theirs = Files.writeString(open.resolve("theirs"), "for them\n");
    Files.setPosixFilePermissions(theirs, PosixFilePermissions.fromString("rw-------"));
    Workshop.command("chown", "daemon", theirs.toString());
    Launch reading = reading(theirs);
    assertEquals(new RunStatus.Ended(0, null), workshop.finish(reading));
    assertEquals("for them\n", Workshop.text(reading.run().stdout()));
  }

  private Launch reading(Path file) {
    return as(Workshop.from(Workshop.launch(workshop.run(), "cat"), new InputSource.Users(file)));
  }

  @Test
  void theDaemonsOwnRightsAreBackAfterEveryCheck() throws IOException {
    Path closed = Files.createDirectory(root.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    for (int i = 0; i < 20; i++) {
      workshop.processes().launch(as(Workshop.in(Workshop.launch(workshop.run(), "true"), closed)));
      assertEquals(
          new RunStatus.Ended(0, null),
          workshop.finish(Workshop.in(Workshop.launch(workshop.run(), "true"), closed)));
    }
  }

  @Test
  void loaderVariablesAreNotForTheKeeper() throws IOException {
    Path open = Files.createDirectory(root.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Run run = workshop.run();
    workshop.finish(
        as(
            Workshop.with(
                Workshop.launch(run, "true"),
                "LD_DEBUG=files",
                "LD_DEBUG_OUTPUT=" + open.resolve("loaded"))));
    try (var logs = Files.list(open)) {
      List<Path> written = logs.toList();
      assertEquals(1, written.size(), written::toString);
      assertEquals("daemon", Files.getOwner(written.getFirst()).getName());
    }
  }

  private Launch appending(Path file) {
    return as(
        Workshop.to(
            Workshop.shell(workshop.run(), "echo out"),
            new OutputTarget.Append(file),
            new OutputTarget.Discard()));
  }

  private void expect(Stage stage, String reason, Launch launch) throws IOException {
    LaunchResult.Failed failed =
        assertInstanceOf(LaunchResult.Failed.class, workshop.processes().launch(launch));
    assertEquals(stage, failed.stage(), failed.reason());
    assertTrue(failed.reason().contains(reason), failed.reason());
  }
}
