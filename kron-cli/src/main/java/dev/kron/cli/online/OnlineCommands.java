package dev.kron.cli.online;

import dev.kron.cli.line.Command;
import java.util.List;

/** The commands that ask a running daemon. */
public final class OnlineCommands {
  private OnlineCommands() {}

  public static List<Command> all() {
    return List.of(
        new StatusCommand(),
        new JobsCommand(),
        new ServicesCommand(),
        new RunsCommand(),
        new ShowCommand(),
        new WhyCommand(),
        new LogsCommand(),
        new EventsCommand(),
        new WatchCommand(),
        new DashboardCommand(),
        new TriggerCommand(),
        ActCommand.suspend(),
        ActCommand.resume(),
        ServiceActCommand.start(),
        new StopCommand(),
        ServiceActCommand.restart(),
        new ScaleCommand(),
        new SignalCommand(),
        new CredentialsCommand(),
        new FleetCommand(),
        new NotifyCommand(),
        new ReloadCommand(),
        new ForgetCommand(),
        new ShutdownCommand());
  }
}
