package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;

/** {@code kron credentials}: which profile a service's processes get. */
final class CredentialsCommand extends OnlineCommand {
  CredentialsCommand() {
    super("credentials", "bind a service to other credentials than its file says");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron credentials bind SERVICE PROFILE | unbind SERVICE",
        new Operand(
            "bind|unbind SERVICE [PROFILE]",
            2,
            3,
            new Completion.InTurn(
                List.of(
                    new Completion.Words(List.of("bind", "unbind")),
                    Completion.Names.SERVICES,
                    Completion.Names.PROFILES)),
            "what to do, the service, and the profile's name"),
        List.of(),
        List.of(
            "A profile is the file credentials/PROFILE.env beside the service files, mode 0600. The"
                + " binding outlasts the daemon and comes before what the file says, until unbind;"
                + " a service that is wanted up is restarted. kron show names both. Values are"
                + " never shown, here or anywhere. Only root and the daemon's user may do this."),
        List.of(
            new Example("kron credentials bind web shop-staging", "other credentials"),
            new Example("kron credentials unbind web", "those of its file again")),
        new Exit(ExitCode.REFUSED, "there is no such service, or the name is none"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<String> words = arguments.operands();
    boolean bind = words.getFirst().equals("bind");
    if (!bind && !words.getFirst().equals("unbind")) {
      throw new UsageException("say bind or unbind, not \"" + words.getFirst() + "\"");
    }
    if (words.size() != (bind ? 3 : 2)) {
      throw new UsageException(
          bind
              ? "say which profile: kron credentials bind SERVICE PROFILE"
              : "unbind takes no profile");
    }
    String path = Api.path("services", words.get(1), "credentials", words.getFirst());
    Json answer = api.post(bind ? path + "?" + Api.parameter("profile", words.get(2)) : path);
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings.out().line(answer.text("message"));
    return ExitCode.OK;
  }
}
