package dev.kron.cli.lint;

import dev.kron.config.OtherUsers;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The users and groups of this machine, each looked up once. */
public final class Accounts implements OtherUsers.Self {
  private static final String THIS = " on this machine";

  private final UserPrincipalLookupService accounts =
      FileSystems.getDefault().getUserPrincipalLookupService();
  private final Map<String, String> known = new HashMap<>();

  /** The problem with a user; empty if there is none. */
  String userProblem(String user) {
    return known.computeIfAbsent(
        "user " + user,
        what -> user(user) == null && !isNumber(user) ? "there is no " + what + THIS : "");
  }

  /** The problem with a group; empty if there is none. */
  String groupProblem(String group) {
    return known.computeIfAbsent(
        "group " + group,
        what -> group(group) == null && !isNumber(group) ? "there is no " + what + THIS : "");
  }

  @Override
  public String name() {
    try {
      return self().owner().getName();
    } catch (IOException e) {
      return "another user";
    }
  }

  @Override
  public boolean isUser(String user) {
    try {
      return self().owner().equals(user(user));
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public boolean isGroup(String group) {
    try {
      return self().group().equals(group(group));
    } catch (IOException e) {
      return false;
    }
  }

  /** This process as the kernel has it, whatever the variables around it say. */
  private static PosixFileAttributes self() throws IOException {
    return Files.readAttributes(Path.of("/proc/self"), PosixFileAttributes.class);
  }

  private @Nullable UserPrincipal user(String user) {
    try {
      return accounts.lookupPrincipalByName(user);
    } catch (IOException e) {
      return null;
    }
  }

  private @Nullable GroupPrincipal group(String group) {
    try {
      return accounts.lookupPrincipalByGroupName(group);
    } catch (IOException e) {
      return null;
    }
  }

  private static boolean isNumber(String account) {
    return account.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
