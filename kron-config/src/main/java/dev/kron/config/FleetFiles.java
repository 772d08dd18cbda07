package dev.kron.config;

import dev.kron.config.Krontab.Status;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of a fleet in a configuration directory: {@code fleet.toml}, and {@code fleet/*.kron}
 * below it, under the rules for all other files.
 */
public final class FleetFiles {
  private static final String SUFFIX = ".kron";

  private final ConfigFiles.Settings settings;
  private final KrontabParser.Settings parsing;
  private final Trust trust;
  private final TrustedReader reader;
  private final KrontabParser parser;
  private String node = "";

  /**
   * Everything that concerns the fleet.
   *
   * @param file null: this machine is in no fleet, and nothing else was looked at
   * @param krontabs by name
   */
  public record Found(
      @Nullable FleetFile file, List<Krontab> krontabs, List<ConfigFiles.PassedOver> passedOver) {
    static final Found NOTHING = new Found(null, List.of(), List.of());

    public Found {
      krontabs = List.copyOf(krontabs);
      passedOver = List.copyOf(passedOver);
    }

    /** No errors in any file; there may be warnings. */
    public boolean isValid() {
      return (file == null || file.isValid()) && krontabs.stream().allMatch(Krontab::isValid);
    }
  }

  private FleetFiles(
      ConfigFiles.Settings settings, KrontabParser.Settings parsing, EntryInspector inspector) {
    this.settings = settings;
    this.parsing = parsing;
    this.trust = new Trust(settings);
    this.reader = new TrustedReader(settings, trust);
    this.parser = new KrontabParser(parsing, inspector);
  }

  /** Reads what there is. Never throws on account of what it finds. */
  public static Found read(
      Path directory,
      ConfigFiles.Settings settings,
      KrontabParser.Settings parsing,
      EntryInspector inspector) {
    Path absolute = directory.toAbsolutePath().normalize();
    Path file = absolute.resolve(FleetFile.NAME);
    if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
      return Found.NOTHING;
    }
    var files = new FleetFiles(settings, parsing, inspector);
    FleetFile fleet = files.file(file);
    List<Krontab> krontabs = new ArrayList<>();
    List<ConfigFiles.PassedOver> passedOver = new ArrayList<>();
    files.node = nodeName(fleet);
    files.krontabs(absolute.resolve(FleetFile.DIRECTORY), krontabs, passedOver);
    return new Found(fleet, krontabs, passedOver);
  }

  /** The name of the node, empty where its file is wrong: then nothing is run. */
  private static String nodeName(FleetFile file) {
    return file.settings() == null ? "" : file.settings().nodeName();
  }

  /**
   * Reads one krontab of a fleet by itself, for who names it on a command line.
   *
   * @return null: it is none, as it does not lie beside a {@code fleet.toml}
   */
  static @Nullable Krontab one(
      Path krontab,
      Path directory,
      ConfigFiles.Settings settings,
      KrontabParser.Settings parsing,
      EntryInspector inspector) {
    Path above = directory.getParent();
    if (above == null
        || !krontab.toString().endsWith(SUFFIX)
        || Files.notExists(above.resolve(FleetFile.NAME), LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    var files = new FleetFiles(settings, parsing, inspector);
    files.node = nodeName(files.file(above.resolve(FleetFile.NAME)));
    return files.krontab(krontab, ConfigFiles.name(krontab));
  }

  private FleetFile file(Path file) {
    try {
      TrustedReader.Reading reading = reader.read(file);
      @Nullable String problem = reading.problem();
      return problem == null
          ? FleetParser.parse(file, reading.content(), parsing.maximumLineBytes())
          : FleetFile.refused(file.toString(), Status.REFUSED, problem);
    } catch (IOException e) {
      return FleetFile.refused(
          file.toString(), Status.UNREADABLE, "the file cannot be read: " + ConfigFiles.reason(e));
    }
  }

  private void krontabs(
      Path directory, List<Krontab> found, List<ConfigFiles.PassedOver> passedOver) {
    if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
      return; // a node may have labels and no files yet
    }
    List<Path> entries = new ArrayList<>();
    try {
      @Nullable String problem =
          settings.secure() ? ConfigFiles.directoryProblem(directory, trust) : null;
      if (problem != null) {
        found.add(refused(directory, Status.REFUSED, problem));
        return;
      }
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
        stream.forEach(entries::add);
      }
    } catch (IOException | DirectoryIteratorException e) {
      found.add(
          refused(
              directory,
              Status.UNREADABLE,
              "the directory cannot be read: " + ConfigFiles.reason(e)));
      return;
    }
    entries.sort(null);
    for (Path entry : entries) {
      String name = ConfigFiles.name(entry);
      if (FileKind.of(name) != FileKind.KRONTAB || !name.endsWith(SUFFIX)) {
        passedOver.add(
            new ConfigFiles.PassedOver(entry, "krontabs of a fleet are called *" + SUFFIX));
      } else if (Files.isDirectory(entry)) {
        passedOver.add(new ConfigFiles.PassedOver(entry, "a directory"));
      } else {
        found.add(krontab(entry, name));
      }
    }
  }

  private Krontab krontab(Path file, String name) {
    try {
      TrustedReader.Reading reading = reader.read(file);
      @Nullable String problem = reading.problem();
      return problem == null
          ? parser.parseFleet(file, name, node, reading.content())
          : refused(file, Status.REFUSED, problem);
    } catch (IOException e) {
      return refused(file, Status.UNREADABLE, "the file cannot be read: " + ConfigFiles.reason(e));
    }
  }

  private static Krontab refused(Path path, Status status, String problem) {
    Diagnostic diagnostic = Diagnostic.ofFile(path.toString(), problem);
    return new Krontab(path.toString(), status, List.of(), List.of(diagnostic));
  }
}
