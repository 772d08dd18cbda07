package dev.kron.cli.crontab;

import dev.kron.cli.crontab.Finding.Kind;
import dev.kron.text.ShellWords;
import java.time.zone.ZoneRulesProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The variables of a crontab at one of its lines; some are for cron itself. */
final class Variables {
  private final List<Finding> findings;
  private final boolean mailOnFailure;
  private final Map<String, String> environment = new LinkedHashMap<>();
  private String zone;
  private String mailTo = "";
  private int mailToLine;
  private int mailed;

  Variables(String zone, boolean mailOnFailure, List<Finding> findings) {
    this.zone = zone;
    this.mailOnFailure = mailOnFailure;
    this.findings = findings;
  }

  void set(int line, String name, String value) {
    switch (name) {
      case "MAILTO" -> {
        end();
        mailTo = value.strip();
        mailToLine = line;
      }
      case "CRON_TZ" -> zone(line, value);
      case "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING" ->
          findings.add(
              new Finding(line, Kind.LOST, "", name + " is about mail, and krond sends none"));
      case "LOGNAME" ->
          findings.add(new Finding(line, Kind.NOTE, "", "LOGNAME has no effect under cron either"));
      case "RANDOM_DELAY" ->
          findings.add(
              new Finding(
                  line, Kind.LOST, "", "RANDOM_DELAY; --spread " + value + "m does the like"));
      default -> plain(line, name, value);
    }
  }

  private void plain(int line, String name, String value) {
    if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
      environment.put(name, value);
    } else {
      findings.add(
          new Finding(line, Kind.LOST, "", "a variable cannot be called \"" + name + "\" here"));
    }
  }

  private void zone(int line, String value) {
    if (ZoneRulesProvider.getAvailableZoneIds().contains(value)) {
      zone = value;
      findings.add(
          new Finding(
              line,
              Kind.NOTE,
              "",
              "CRON_TZ is taken as cronie takes it, for the times of the lines below; Debian's cron"
                  + " does not know it"));
    } else {
      findings.add(
          new Finding(line, Kind.LOST, "", "CRON_TZ names no time zone: \"" + value + "\""));
    }
  }

  /** An entry was made with the variables as they are. */
  void used() {
    mailed++;
  }

  /** Reports the meaning of a MAILTO, once for all its jobs; also called at the end. */
  void end() {
    if (!mailTo.isEmpty() && mailed > 0) {
      findings.add(
          mailOnFailure
              ? new Finding(
                  mailToLine,
                  Kind.DIFFERS,
                  "",
                  "mail goes to " + mailTo + " when a run fails, not whenever it prints something")
              : new Finding(
                  mailToLine,
                  Kind.LOST,
                  "",
                  "MAILTO="
                      + mailTo
                      + ": output is kept with each run instead of mailed; --mailto-onfailure has"
                      + " failures mailed"));
    }
    mailed = 0;
  }

  String zone() {
    return zone;
  }

  String shell() {
    return environment.getOrDefault("SHELL", "/bin/sh");
  }

  @Nullable String home() {
    return environment.get("HOME");
  }

  /** {@code NAME=value}. */
  List<String> environment() {
    List<String> list = new ArrayList<>();
    environment.forEach((name, value) -> list.add(name + "=" + value));
    return list;
  }

  /**
   * Words of the command that mails a failure, as the manual shows it.
   *
   * @param constrained whether it is normal for the job to be unschedulable on some days
   */
  List<String> onFailure(boolean constrained) {
    if (!mailOnFailure || mailTo.isEmpty()) {
      return List.of();
    }
    var mail = new StringBuilder(constrained ? "[ \"$KRON_OUTCOME\" = unschedulable ] || " : "");
    mail.append("mail -s \"$KRON_JOB: $KRON_OUTCOME $KRON_EXIT\"");
    for (String address : mailTo.split("[, ]+")) {
      mail.append(' ').append(ShellWords.word(address));
    }
    return List.of("/bin/sh", "-c", mail.toString());
  }
}
