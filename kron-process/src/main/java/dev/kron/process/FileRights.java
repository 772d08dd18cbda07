package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * The calling thread's access rights to files. On Linux a thread has rights of its own: it takes on
 * a user's file-system identity, as file servers do, asks the kernel, and returns to its own. The
 * process as a whole does not change, and the user's links, modes and access lists mean exactly the
 * same to the check as to the command.
 */
final class FileRights {

  private static final MethodHandle SETFSUID =
      Libc.plain("setfsuid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SETFSGID =
      Libc.plain("setfsgid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final int ASK = -1;

  private final Users users;

  FileRights(Users users) {
    this.users = users;
  }

  /** Work that may find out that a launch is impossible. */
  interface Work<T> {
    T call() throws LaunchFailure;
  }

  /**
   * Does work with a user's access rights to files.
   *
   * @throws IllegalStateException if the thread cannot return to the daemon's own rights; it must
   *     not be used any more
   */
  <T> T as(Credentials credentials, Work<T> work) throws LaunchFailure {
    Users.Account self = users.self();
    List<Integer> ownGroups = users.groups(self, self.gid());
    try (Libc libc = new Libc()) {
      takeGroups(libc, credentials.groups(), credentials.user());
      try {
        takeIds(credentials.uid(), credentials.gid(), credentials.user());
        return work.call();
      } finally {
        goBack(libc, self, ownGroups);
      }
    }
  }

  private static void goBack(Libc libc, Users.Account self, List<Integer> groups) {
    try {
      setFileUser(self.uid());
      takeGroups(libc, groups, self.name());
      takeIds(self.uid(), self.gid(), self.name());
    } catch (LaunchFailure e) {
      throw new IllegalStateException("a thread kept the rights of another user: " + e.reason());
    }
  }

  private static void takeGroups(Libc libc, List<Integer> groups, String name)
      throws LaunchFailure {
    int[] ids = groups.stream().mapToInt(Integer::intValue).toArray();
    MemorySegment list = libc.arena().allocateFrom(JAVA_INT, ids);
    if (libc.syscall(Platform.SYS_SETGROUPS, ids.length, list.address(), 0, 0) < 0) {
      throw new LaunchFailure(Stage.GROUP, "may not take the groups of user " + name);
    }
  }

  private static void takeIds(int uid, int gid, String name) throws LaunchFailure {
    setFileGroup(gid);
    setFileUser(uid);
    if (setFileGroup(ASK) != gid) {
      throw new LaunchFailure(Stage.GROUP, "may not take group " + gid);
    }
    if (setFileUser(ASK) != uid) {
      throw new LaunchFailure(Stage.USER, "may not become user " + name);
    }
  }

  /** Sets the file-system user; returns the previous one and reports no errors. */
  private static int setFileUser(int uid) {
    try {
      return (int) SETFSUID.invokeExact(uid);
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  private static int setFileGroup(int gid) {
    try {
      return (int) SETFSGID.invokeExact(gid);
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }
}
