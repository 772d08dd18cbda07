package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Users and groups as the C library knows them: from files, LDAP or whatever this machine is set up
 * to ask.
 */
public final class SystemUsers implements Users {

  private static final FunctionDescriptor BY_NAME =
      FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
  private static final MethodHandle GETPWNAM = Libc.plain("getpwnam_r", BY_NAME);
  private static final MethodHandle GETPWUID =
      Libc.plain(
          "getpwuid_r",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
  private static final MethodHandle GETGRNAM = Libc.plain("getgrnam_r", BY_NAME);
  private static final MethodHandle GETGROUPLIST =
      Libc.plain(
          "getgrouplist", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle GETEUID =
      Libc.plain("geteuid", FunctionDescriptor.of(JAVA_INT));
  private static final MethodHandle GETEGID =
      Libc.plain("getegid", FunctionDescriptor.of(JAVA_INT));

  /** A size larger than both structures. */
  private static final long STRUCTURE_BYTES = 64;

  private static final int ERANGE = 34;
  private static final int FIRST_BUFFER_BYTES = 4 << 10;
  private static final int LAST_BUFFER_BYTES = 4 << 20;
  private static final int GROUPS_LIMIT = 65_536;

  /** A function of the {@code get…_r} family. */
  private interface Lookup {
    int into(MemorySegment structure, MemorySegment buffer, MemorySegment found) throws Throwable;
  }

  @Override
  public Optional<Account> user(String nameOrNumber) {
    try (Libc libc = new Libc()) {
      MemorySegment name = libc.string(nameOrNumber);
      Optional<Account> named =
          find(libc, (s, b, f) -> (int) GETPWNAM.invokeExact(name, s, b, b.byteSize(), f))
              .map(SystemUsers::account);
      return named.isPresent() ? named : number(nameOrNumber).flatMap(uid -> user(libc, uid));
    }
  }

  @Override
  public Optional<Integer> group(String nameOrNumber) {
    try (Libc libc = new Libc()) {
      MemorySegment name = libc.string(nameOrNumber);
      Optional<Integer> named =
          find(libc, (s, b, f) -> (int) GETGRNAM.invokeExact(name, s, b, b.byteSize(), f))
              .map(structure -> structure.get(JAVA_INT, 16));
      return named.isPresent() ? named : number(nameOrNumber);
    }
  }

  @Override
  public List<Integer> groups(Account account, int gid) {
    try (Libc libc = new Libc()) {
      MemorySegment name = libc.string(account.name());
      MemorySegment count = libc.arena().allocate(JAVA_INT);
      for (int room = 64; room <= GROUPS_LIMIT; room *= 8) {
        MemorySegment groups = libc.arena().allocate(JAVA_INT, room);
        count.set(JAVA_INT, 0, room);
        int found = (int) GETGROUPLIST.invokeExact(name, gid, groups, count);
        if (found >= 0) {
          List<Integer> result = new ArrayList<>();
          for (int i = 0; i < found; i++) {
            result.add(groups.getAtIndex(JAVA_INT, i));
          }
          return List.copyOf(result);
        }
      }
      throw new IllegalStateException(
          "user " + account.name() + " is in more than " + GROUPS_LIMIT + " groups");
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  @Override
  public Account self() {
    try (Libc libc = new Libc()) {
      int uid = (int) GETEUID.invokeExact();
      int gid = (int) GETEGID.invokeExact();
      Optional<Account> known = user(libc, uid);
      // Containers often run under a number that no database knows.
      return known
          .map(a -> new Account(a.name(), uid, gid, a.home(), a.shell()))
          .orElseGet(() -> new Account(Integer.toString(uid), uid, gid, "/", "/bin/sh"));
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  @Override
  public boolean mayBecomeOthers() {
    return self().uid() == 0;
  }

  private static Optional<Account> user(Libc libc, int uid) {
    return find(libc, (s, b, f) -> (int) GETPWUID.invokeExact(uid, s, b, b.byteSize(), f))
        .map(SystemUsers::account);
  }

  private static Optional<MemorySegment> find(Libc libc, Lookup lookup) {
    MemorySegment structure = libc.arena().allocate(STRUCTURE_BYTES, 8);
    MemorySegment found = libc.arena().allocate(ADDRESS);
    for (int room = FIRST_BUFFER_BYTES; ; room *= 4) {
      MemorySegment buffer = libc.arena().allocate(room);
      int error;
      try {
        error = lookup.into(structure, buffer, found);
      } catch (Throwable e) {
        throw Libc.rethrow(e);
      }
      if (error == ERANGE && room < LAST_BUFFER_BYTES) {
        continue;
      }
      // "Not found" comes as 0 or as one of several errors, depending on the database.
      boolean missing = found.get(ADDRESS, 0).equals(MemorySegment.NULL);
      return missing ? Optional.empty() : Optional.of(structure);
    }
  }

  private static Account account(MemorySegment passwd) {
    String shell = text(passwd, 40);
    return new Account(
        text(passwd, 0),
        passwd.get(JAVA_INT, 16),
        passwd.get(JAVA_INT, 20),
        text(passwd, 32),
        shell.isEmpty() ? "/bin/sh" : shell);
  }

  private static String text(MemorySegment structure, long offset) {
    MemorySegment pointer = structure.get(Libc.STRING, offset);
    return pointer.equals(MemorySegment.NULL) ? "" : pointer.getString(0);
  }

  private static Optional<Integer> number(String text) {
    if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return Optional.empty();
    }
    try {
      // The highest number means "no particular user" to the kernel.
      long number = Long.parseLong(text);
      return number < 0xffff_ffffL ? Optional.of((int) number) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
