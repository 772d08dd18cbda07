package dev.kron.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Looks at files with somebody else's eyes. On Linux a thread has rights of its own: one thread
 * here takes the user's file-system identity, as file servers do, asks the kernel, and goes back.
 * Nothing about the process as a whole changes, and a user's links, modes and access lists mean to
 * the check exactly what they will mean to the command.
 */
final class FileRights implements AutoCloseable {

  private static final MethodHandle SETFSUID =
      Libc.plain("setfsuid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SETFSGID =
      Libc.plain("setfsgid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final int ASK = -1;

  private final Users users;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("krond-file-rights").daemon().factory());

  FileRights(Users users) {
    this.users = users;
  }

  /** Runs a piece of work as the user's own as far as files are concerned. */
  <T> T as(Credentials credentials, Callable<T> work) throws LaunchFailure {
    try {
      return thread.submit(() -> inThisThread(credentials, work)).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LaunchFailure failure) {
        throw failure;
      }
      throw new IllegalStateException("while checking as user " + credentials.user(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while checking as user " + credentials.user());
    }
  }

  private <T> T inThisThread(Credentials credentials, Callable<T> work) throws Exception {
    Users.Account self = users.self();
    List<Integer> ownGroups = users.groups(self, self.gid());
    try (Libc libc = new Libc()) {
      try {
        take(libc, credentials.uid(), credentials.gid(), credentials.groups(), credentials.user());
        return work.call();
      } finally {
        setFileUser(self.uid());
        take(libc, self.uid(), self.gid(), ownGroups, self.name());
      }
    }
  }

  private static void take(Libc libc, int uid, int gid, List<Integer> groups, String name)
      throws LaunchFailure {
    int[] ids = groups.stream().mapToInt(Integer::intValue).toArray();
    MemorySegment list = libc.arena().allocateFrom(JAVA_INT, ids);
    if (libc.syscall(Platform.SYS_SETGROUPS, ids.length, list.address(), 0, 0) < 0) {
      throw new LaunchFailure(Stage.GROUP, "may not take the groups of user " + name);
    }
    setFileGroup(gid);
    setFileUser(uid);
    if (setFileGroup(ASK) != gid) {
      throw new LaunchFailure(Stage.GROUP, "may not take group " + gid);
    }
    if (setFileUser(ASK) != uid) {
      throw new LaunchFailure(Stage.USER, "may not become user " + name);
    }
  }

  /** Returns who it was before, and never fails in any other way. */
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

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
