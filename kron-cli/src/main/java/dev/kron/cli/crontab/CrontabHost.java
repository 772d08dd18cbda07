package dev.kron.cli.crontab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import org.jspecify.annotations.Nullable;

/** The machine that cron runs on, as far as it matters to a crontab. */
public final class CrontabHost {
  private static final String ZONE_DIRECTORY = "/zoneinfo/";

  private final Path etc;

  /**
   * @param etc the directory /etc
   */
  public CrontabHost(Path etc) {
    this.etc = etc;
  }

  /** The IANA name of the machine's time zone, whatever the one of this shell. */
  public String zone() {
    try {
      Path link = etc.resolve("localtime");
      if (Files.isSymbolicLink(link)) {
        String target = Files.readSymbolicLink(link).toString();
        int at = target.lastIndexOf(ZONE_DIRECTORY);
        String name = at < 0 ? "" : target.substring(at + ZONE_DIRECTORY.length());
        if (isZone(name)) {
          return name;
        }
      }
      String name = Files.readString(etc.resolve("timezone")).strip();
      if (isZone(name)) {
        return name;
      }
    } catch (IOException e) {
      // Not every system has both; Java asks in its own way.
      return javaZone();
    }
    return javaZone();
  }

  private static String javaZone() {
    String name = ZoneId.systemDefault().getId();
    return isZone(name) ? name : "UTC";
  }

  public static boolean isZone(String name) {
    return ZoneRulesProvider.getAvailableZoneIds().contains(name);
  }

  /**
   * The directory in which cron starts a user's commands: the home directory, or the root directory
   * if that does not exist; null if there is no such user.
   */
  public @Nullable String home(String user) {
    try {
      for (String line : Files.readAllLines(etc.resolve("passwd"))) {
        String[] fields = line.split(":", -1);
        if (fields.length >= 6 && fields[0].equals(user) && fields[5].startsWith("/")) {
          return Files.isDirectory(Path.of(fields[5])) ? fields[5] : "/";
        }
      }
    } catch (IOException e) {
      return null;
    }
    return null;
  }
}
