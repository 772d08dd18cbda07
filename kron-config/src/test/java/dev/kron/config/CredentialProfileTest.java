package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialProfileTest {
  private static final Account SELF = Account.current();

  @TempDir Path temporary;
  private Path file = Path.of("/");

  @BeforeEach
  void place() throws IOException {
    file = CredentialProfile.path(temporary.resolve("web.toml"), "shop-prod");
    Files.createDirectory(file.getParent());
  }

  private VariableFile profile(String text, String mode) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    return CredentialProfile.read(file, ConfigFiles.Settings.of(SELF));
  }

  private static List<String> said(VariableFile profile) {
    return profile.diagnostics().stream()
        .map(each -> each.line() + ":" + each.column() + ": " + each.message())
        .toList();
  }

  @Test
  void standsBesideTheServiceFiles() {
    assertEquals(
        Path.of("/etc/krond.d/credentials/shop-prod.env"),
        CredentialProfile.path(Path.of("/etc/krond.d/web.toml"), "shop-prod"));
    assertThrows(
        IllegalArgumentException.class,
        () -> CredentialProfile.path(Path.of("/etc/krond.d/web.toml"), "../../etc/passwd"));
  }

  @Test
  void takesValuesAsTheyAre() throws IOException {
    VariableFile profile =
        profile("# the shop\n\nPASSWORD=hunter2 # no comment\nURL=a=b\"c\"\nEMPTY=\n", "rw-------");
    assertEquals(
        List.of("PASSWORD=hunter2 # no comment", "URL=a=b\"c\"", "EMPTY="), profile.variables());
    assertTrue(profile.isValid());
  }

  @Test
  void refusesWhatOthersCanRead() throws IOException {
    for (String mode : List.of("rw-r-----", "rw----r--", "rw-------x".substring(0, 9))) {
      VariableFile profile = profile("A=b\n", mode);
      boolean weak = !mode.endsWith("------");
      assertEquals(!weak, profile.isValid(), mode);
      assertEquals(weak ? List.of() : List.of("A=b"), profile.variables());
      if (weak) {
        assertTrue(
            said(profile).getFirst().contains("chmod 0600 " + file), said(profile)::toString);
      }
    }
  }

  @Test
  void refusesAFileOfSomebodyElse() throws IOException {
    profile("A=b\n", "rw-------");
    Account other = new Account(SELF.uid() + 4711, SELF.gid());
    VariableFile read = CredentialProfile.read(file, ConfigFiles.Settings.of(other));
    if (SELF.uid() != 0) {
      assertTrue(said(read).getFirst().contains("belongs to uid"), said(read)::toString);
    }
  }

  @Test
  void followsNoLink() throws IOException {
    profile("A=b\n", "rw-------");
    Path real = Files.move(file, temporary.resolve("real"));
    Files.createSymbolicLink(file, real);
    VariableFile read = CredentialProfile.read(file, ConfigFiles.Settings.of(SELF));
    assertTrue(said(read).getFirst().contains("symbolic link"), said(read)::toString);
  }

  @Test
  void tellsWhatIsMissing() {
    VariableFile read = CredentialProfile.read(file, ConfigFiles.Settings.of(SELF));
    assertFalse(read.isThere());
    assertEquals(List.of("1:1: the credential profile does not exist"), said(read));
  }

  @Test
  void refusesNamesThatNoCommandCanBeGiven() throws IOException {
    VariableFile profile =
        profile("LD_PRELOAD=hunter2\nUID=hunter2\nkron_keeper_1=hunter2\n", "rw-------");
    assertEquals(
        List.of(
            "2:1: UID: shells keep this name for themselves, so no command can be given it; choose"
                + " another name, or set it in a script",
            "3:1: kron_keeper_1: names that begin with kron_keeper_ are krond's own; choose another"
                + " name"),
        said(profile));
  }

  @Test
  void tellsWhereAndNeverWhat() throws IOException {
    VariableFile profile =
        profile(
            """
            hunter2
            PASS WORD=hunter2
            A=hunter2\r
            B=hunter2
            B=hunter2
            KRON_X=hunter2
            C=hunter2\001
            =hunter2
            export D=hunter2
            """,
            "rw-------");
    assertEquals(8, profile.diagnostics().size(), said(profile)::toString);
    assertEquals(
        List.of(
            "1:1: expected KEY=value, and there is no \"=\" on this line",
            "3:1: the value of A ends with a carriage return: the file has Windows line ends",
            "5:1: B is set on line 4 already"),
        List.of(said(profile).get(0), said(profile).get(2), said(profile).get(3)));
    String everything =
        profile
            + said(profile).toString()
            + profile.diagnostics()
            + profile.diagnostics().stream().map(new DiagnosticRenderer(80)::render).toList();
    assertFalse(everything.contains("hunter2"), everything);
    assertEquals(List.of(), profile.variables());
  }
}
