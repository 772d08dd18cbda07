package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A command that cannot be started is told apart from one that ended badly, by stage and reason.
 */
class StartFailureTest extends WorkshopTest {

  private void expect(Stage stage, String reason, Launch launch) throws IOException {
    LaunchResult.Failed failed =
        assertInstanceOf(LaunchResult.Failed.class, workshop.processes().launch(launch));
    assertEquals(stage, failed.stage());
    assertTrue(failed.reason().contains(reason), failed.reason());
    assertEquals(
        new RunStatus.FailedToStart(stage, failed.reason()),
        workshop.processes().status(launch.run()));
  }

  private Path file(String name, String mode, String content) throws IOException {
    Path file = Files.writeString(root.resolve(name), content);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Test
  void notFound() throws IOException {
    expect(
        Stage.EXEC,
        "/no/such/program: No such file or directory",
        Workshop.launch(workshop.run(), "/no/such/program"));
    expect(
        Stage.EXEC,
        "no-such-program was not found in PATH=/usr/bin:/bin",
        Workshop.launch(workshop.run(), "no-such-program"));
  }

  @Test
  void aVariableThatTheKernelDoesNotTakeIsNamedWithoutItsValue() throws IOException {
    Launch launch = Workshop.launch(workshop.run(), "/bin/true");
    expect(
        Stage.SPAWN,
        "Argument list too long; the value of BIG is too long: a variable takes at most 128 KiB",
        Workshop.with(launch, "SMALL=x", "BIG=" + "x".repeat(128 << 10)));
  }

  @Test
  void notExecutable() throws IOException {
    Path file = file("plain", "rw-r--r--", "#!/bin/sh\n");
    expect(
        Stage.EXEC,
        file + ": may not be executed by the daemon's user",
        Workshop.launch(workshop.run(), file.toString()));
  }

  @Test
  void aDirectory() throws IOException {
    expect(Stage.EXEC, "is a directory", Workshop.launch(workshop.run(), root.toString()));
  }

  @Test
  void aPipeOrADevice() throws IOException {
    Path pipe = root.resolve("pipe");
    Workshop.command("mkfifo", "-m", "755", pipe.toString());
    for (String command : List.of(pipe.toString(), "/dev/null")) {
      expect(
          Stage.EXEC,
          command + ": is not a regular file, expected a program",
          Workshop.launch(workshop.run(), command));
    }
  }

  @Test
  void anInterpreterThatIsNotThere() throws IOException {
    Path script = file("script", "rwxr-xr-x", "#! /no/such/interpreter -x\n");
    expect(
        Stage.EXEC,
        "its interpreter /no/such/interpreter: No such file or directory",
        Workshop.launch(workshop.run(), script.toString()));
  }

  @Test
  void aWorkingDirectoryThatIsNotThereOrNotOne() throws IOException {
    Path file = file("plain", "rwxr-xr-x", "");
    Path missing = root.resolve("missing");
    expect(
        Stage.CWD,
        "No such file or directory",
        Workshop.in(Workshop.launch(workshop.run(), "true"), missing));
    expect(
        Stage.CWD,
        "is not a directory",
        Workshop.in(Workshop.launch(workshop.run(), "true"), file));
  }

  @Test
  void anOutputFileThatCannotBeOpened() throws IOException {
    Path link = Files.createSymbolicLink(root.resolve("link"), root.resolve("target"));
    expect(Stage.OUTPUT, "is a symbolic link", appending(link));
    expect(Stage.OUTPUT, "No such file", appending(root.resolve("missing/file")));
    expect(Stage.OUTPUT, "Is a directory", appending(root));
    Path pipe = root.resolve("pipe");
    Workshop.command("mkfifo", pipe.toString());
    expect(Stage.OUTPUT, "nobody reads", appending(pipe));
  }

  @Test
  void anInputFileThatCannotBeOpened() throws IOException {
    Path file = file("data", "rw-r--r--", "read me\n");
    Run run = workshop.run();
    Launch reading = Workshop.from(Workshop.launch(run, "cat"), new InputSource.Users(file));
    assertEquals(new RunStatus.Ended(0, null), workshop.finish(reading));
    assertEquals("read me\n", Workshop.text(run.stdout()));
    Path link = Files.createSymbolicLink(root.resolve("link"), file);
    expect(Stage.STDIN, "is a symbolic link", reading(link));
    expect(Stage.STDIN, "No such file", reading(root.resolve("missing")));
    expect(Stage.STDIN, "is not a regular file", reading(root));
    expect(Stage.STDIN, "is not a regular file", reading(Path.of("/dev/zero")));
    Path pipe = root.resolve("pipe");
    Workshop.command("mkfifo", pipe.toString());
    expect(Stage.STDIN, "is not a regular file", reading(pipe));
    // What says "self" there is whoever opens it, and that is not the command.
    Path self = Files.createSymbolicLink(root.resolve("self"), Path.of("/proc/self"));
    expect(Stage.STDIN, "is not a regular file", reading(self.resolve("maps")));
  }

  private Launch reading(Path file) {
    return Workshop.from(Workshop.launch(workshop.run(), "true"), new InputSource.Users(file));
  }

  private Launch appending(Path file) {
    Launch launch = Workshop.launch(workshop.run(), "true");
    return Workshop.to(launch, new OutputTarget.Append(file), new OutputTarget.Discard());
  }

  @Test
  void aRelativeCommandIsLookedForInTheWorkingDirectory() throws IOException {
    file("here", "rwxr-xr-x", "#!/bin/sh\nexit 9\n");
    Run run = workshop.run();
    assertEquals(
        new RunStatus.Ended(9, null),
        workshop.finish(Workshop.in(Workshop.launch(run, "./here"), root)));
  }

  @Test
  void exitStatus126And127AreJustThat() {
    for (int status : new int[] {126, 127}) {
      assertEquals(
          new RunStatus.Ended(status, null),
          workshop.finish(Workshop.shell(workshop.run(), "exit " + status)));
    }
  }
}
