package dev.kron.config;

import dev.kron.job.JobSpec;
import dev.kron.service.ServiceSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The check for entries with a user or group that this process cannot become. Only root can run
 * commands as another user; anyone else is told before anything starts.
 */
public final class OtherUsers implements EntryInspector {
  private final Self self;

  /** The user who would run the commands. */
  public interface Self {
    String name();

    /** Whether a user, given by name or number, is this one. */
    boolean isUser(String user);

    /** Whether a group, given by name or number, is this user's own. */
    boolean isGroup(String group);
  }

  public OtherUsers(Self self) {
    this.self = self;
  }

  @Override
  public void inspect(JobSpec job, Remarks remarks) {
    String asked = askedFor(job.user(), job.group());
    if (asked != null) {
      remarks.refuse(field(asked), refusal("job " + job.name(), asked));
    }
  }

  /** The same file, with an error if it names another user or group. */
  public ServiceFile check(ServiceFile file) {
    ServiceSpec service = file.service();
    String asked = service == null ? null : askedFor(service.user(), service.group());
    return service == null || asked == null
        ? file
        : file.with(
            List.of(
                file.at(
                    "service." + field(asked),
                    Diagnostic.Severity.ERROR,
                    refusal("service " + service.name(), asked))));
  }

  /** The field that names another user or group; null if none does. */
  private @Nullable String askedFor(@Nullable String user, @Nullable String group) {
    if (user != null && !self.isUser(user)) {
      return "user=" + user;
    }
    return group != null && !self.isGroup(group) ? "group=" + group : null;
  }

  private static String field(String asked) {
    return asked.substring(0, asked.indexOf('='));
  }

  private String refusal(String who, String asked) {
    return "%s asks for %s, but krond runs as %s, and only root may run commands as others: take %s out, or run krond as root"
        .formatted(who, asked, self.name(), asked);
  }
}
