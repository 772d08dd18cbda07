package dev.kron.config;

import dev.kron.config.Krontab.Status;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reader of a configuration: finds its files, reads those that can be trusted, and has them
 * parsed.
 */
public final class ConfigFiles {
  private final Settings settings;
  private final Trust trust;
  private final TrustedReader reader;
  private final KrontabParser parser;
  private final Set<Path> seen = new HashSet<>();
  private final Consumer<Krontab> krontabs;
  private final KrontabParser.Settings parsing;
  private @Nullable ServiceParser serviceParser;
  private final List<ServiceFile> services = new ArrayList<>();
  private final List<PassedOver> passedOver = new ArrayList<>();
  private @Nullable NotifyFile notify;
  private @Nullable Path notifyPlace;
  private @Nullable FleetFile fleet;
  private @Nullable Path fleetPlace;
  private final EntryInspector inspector;

  /**
   * The settings of the reader.
   *
   * @param daemon the account whose files are trusted, besides root's
   * @param followLinks whether symbolic links are followed
   * @param secure whether owners and modes are checked; off only if nothing will ever be executed
   * @param maximumFileBytes the limit for one file
   * @param notifyFile the notification rules; null for {@code notify.toml} in the first directory
   */
  public record Settings(
      Account daemon,
      boolean followLinks,
      boolean secure,
      int maximumFileBytes,
      @Nullable Path notifyFile) {
    /** The default limit, 1 MiB. */
    public static final int DEFAULT_MAXIMUM_FILE_BYTES = 1 << 20;

    public static Settings of(Account daemon) {
      return new Settings(daemon, false, true, DEFAULT_MAXIMUM_FILE_BYTES, null);
    }

    public Settings withFollowLinks(boolean followLinks) {
      return new Settings(daemon, followLinks, secure, maximumFileBytes, notifyFile);
    }

    public Settings withSecure(boolean secure) {
      return new Settings(daemon, followLinks, secure, maximumFileBytes, notifyFile);
    }

    public Settings withNotifyFile(@Nullable Path notifyFile) {
      return new Settings(daemon, followLinks, secure, maximumFileBytes, notifyFile);
    }

    public Settings withMaximumFileBytes(int maximumFileBytes) {
      return new Settings(daemon, followLinks, secure, maximumFileBytes, notifyFile);
    }
  }

  /** A file in a configuration directory that is not read, and the reason. */
  public record PassedOver(Path file, String reason) {}

  /**
   * The whole configuration.
   *
   * @param krontabs in the order of the paths, within a directory by name
   * @param services in the same order
   * @param notifyFile the notification rules; null if there are none
   * @param fleetFile this machine's place in a fleet; null if it is in none
   */
  public record Configuration(
      List<Krontab> krontabs,
      List<ServiceFile> services,
      List<PassedOver> passedOver,
      @Nullable NotifyFile notifyFile,
      @Nullable FleetFile fleetFile) {
    public Configuration {
      krontabs = List.copyOf(krontabs);
      services = List.copyOf(services);
      passedOver = List.copyOf(passedOver);
    }

    /** A configuration of a machine in no fleet. */
    public Configuration(
        List<Krontab> krontabs,
        List<ServiceFile> services,
        List<PassedOver> passedOver,
        @Nullable NotifyFile notifyFile) {
      this(krontabs, services, passedOver, notifyFile, null);
    }

    /** A configuration without notification rules and without a fleet. */
    public Configuration(
        List<Krontab> krontabs, List<ServiceFile> services, List<PassedOver> passedOver) {
      this(krontabs, services, passedOver, null, null);
    }

    /** Whether no file has errors; there may be warnings. */
    public boolean isValid() {
      return krontabs.stream().allMatch(Krontab::isValid)
          && services.stream().allMatch(ServiceFile::isValid)
          && (notifyFile == null || notifyFile.isValid())
          && (fleetFile == null || fleetFile.isValid());
    }

    /** The diagnostics of all files. */
    public List<Diagnostic> diagnostics() {
      return Stream.of(
              krontabs.stream().flatMap(krontab -> krontab.diagnostics().stream()),
              services.stream().flatMap(service -> service.diagnostics().stream()),
              Stream.ofNullable(notifyFile).flatMap(file -> file.diagnostics().stream()),
              Stream.ofNullable(fleetFile).flatMap(file -> file.diagnostics().stream()))
          .flatMap(each -> each)
          .toList();
    }
  }

  private ConfigFiles(
      Settings settings,
      KrontabParser.Settings parsing,
      EntryInspector inspector,
      Consumer<Krontab> krontabs) {
    this.settings = settings;
    this.krontabs = krontabs;
    this.trust = new Trust(settings);
    this.reader = new TrustedReader(settings, trust);
    this.parser = new KrontabParser(parsing, inspector);
    this.parsing = parsing;
    this.inspector = inspector;
  }

  /**
   * Reads files and directories. A file is a krontab whatever its name is, unless it is a service,
   * {@code *.toml}; in directories the names decide. Never throws because of what it finds.
   */
  public static Configuration read(
      List<Path> paths, Settings settings, KrontabParser.Settings parsing) {
    return read(paths, settings, parsing, EntryInspector.NONE);
  }

  /** Reads files and directories, with an inspector that sees each entry. */
  public static Configuration read(
      List<Path> paths,
      Settings settings,
      KrontabParser.Settings parsing,
      EntryInspector inspector) {
    List<Krontab> krontabs = new ArrayList<>();
    Others others = forEach(paths, settings, parsing, inspector, krontabs::add);
    return new Configuration(
        krontabs, others.services(), others.passedOver(), others.notifyFile(), others.fleetFile());
  }

  /** The parts of a configuration besides krontabs. */
  public record Others(
      List<ServiceFile> services,
      List<PassedOver> passedOver,
      @Nullable NotifyFile notifyFile,
      @Nullable FleetFile fleetFile) {}

  /**
   * Reads as {@link #read} does, but passes each krontab on as soon as it was parsed, so that a
   * million jobs need not be in memory together.
   *
   * @return the services, which are checked together, and the files that were not read
   */
  public static Others forEach(
      List<Path> paths,
      Settings settings,
      KrontabParser.Settings parsing,
      EntryInspector inspector,
      Consumer<Krontab> krontabs) {
    var files = new ConfigFiles(settings, parsing, inspector, krontabs);
    @Nullable Path named = settings.notifyFile();
    if (named != null) {
      files.notifyPlace = named.toAbsolutePath().normalize();
      files.path(files.notifyPlace, FileKind.NOTIFY);
    } else if (!paths.isEmpty()) {
      files.notifyPlace = paths.getFirst().toAbsolutePath().normalize().resolve(NotifyFile.NAME);
    }
    if (!paths.isEmpty()) {
      files.fleetPlace = paths.getFirst().toAbsolutePath().normalize().resolve(FleetFile.NAME);
    }
    for (Path path : paths) {
      Path absolute = path.toAbsolutePath().normalize();
      files.path(absolute, FileKind.of(name(absolute)));
    }
    return new Others(
        ServiceChecks.check(files.services),
        List.copyOf(files.passedOver),
        files.notify,
        files.fleet);
  }

  private void path(Path path, FileKind kind) {
    if (Files.isDirectory(path) && kind != FileKind.NOTIFY && kind != FileKind.FLEET) {
      directory(path);
    } else if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      refuse(path, kind, "there is no such file or directory", Status.UNREADABLE);
    } else {
      file(path, kind);
    }
  }

  private void directory(Path directory) {
    List<Path> entries = new ArrayList<>();
    try {
      @Nullable String problem = settings.secure() ? directoryProblem(directory, trust) : null;
      if (problem != null) {
        refuse(directory, problem, Status.REFUSED);
        return;
      }
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
        stream.forEach(entries::add);
      }
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      refuse(directory, "the directory cannot be read: " + reason(e), Status.UNREADABLE);
      return;
    }
    entries.sort(null);
    for (Path entry : entries) {
      entry(entry);
    }
  }

  /**
   * The problem with a directory, or null. Sticky is not enough here: no other user may add files
   * to a configuration.
   */
  static @Nullable String directoryProblem(Path directory, Trust trust) throws IOException {
    Trust.Way way = trust.toDirectory(directory);
    if (way.problem() == null && ConfigFileStatus.of(way.end()).isWorldWritable()) {
      return "the directory is world-writable: chmod o-w " + VisibleText.of(directory.toString());
    }
    return way.problem();
  }

  private void entry(Path entry) {
    FileKind kind = FileKind.of(name(entry));
    if (kind == FileKind.PASSED_OVER) {
      passedOver.add(new PassedOver(entry, kind.reason(name(entry))));
    } else if (Files.isDirectory(entry)) {
      if (name(entry).equals(CredentialProfile.DIRECTORY)
          || (name(entry).equals(FleetFile.DIRECTORY)
              && entry.resolveSibling(FleetFile.NAME).equals(fleetPlace)
              && Files.exists(entry.resolveSibling(FleetFile.NAME), LinkOption.NOFOLLOW_LINKS))) {
        return; // their places; who names a profile or a fleet is checked against them
      }
      passedOver.add(new PassedOver(entry, "a directory"));
    } else if (kind == FileKind.NOTIFY && !entry.equals(notifyPlace)) {
      String reason =
          settings.notifyFile() == null
              ? "whom to tell is said in the first configuration directory"
              : "--notify names another file";
      passedOver.add(new PassedOver(entry, reason));
    } else if (kind == FileKind.FLEET && !entry.equals(fleetPlace)) {
      passedOver.add(
          new PassedOver(entry, "the fleet is named in the first configuration directory"));
    } else {
      file(entry, kind);
    }
  }

  /** The fleet's own file, and the krontabs of the fleet beside it. */
  private void fleet(Path file) {
    Path directory = file.getParent();
    if (directory != null) {
      FleetFiles.Found found = FleetFiles.read(directory, settings, parsing, inspector);
      fleet = found.file();
      for (Krontab krontab : found.krontabs()) {
        if (seen.add(Path.of(krontab.file()))) {
          krontabs.accept(krontab);
        }
      }
      passedOver.addAll(found.passedOver());
    }
  }

  private void file(Path file, FileKind kind) {
    if (!seen.add(file)) {
      return;
    }
    if (kind == FileKind.FLEET) {
      fleet(file);
      return;
    }
    Path directory = file.getParent();
    @Nullable Krontab ofFleet =
        directory != null && name(directory).equals(FleetFile.DIRECTORY)
            ? FleetFiles.one(file, directory, settings, parsing, inspector)
            : null;
    if (ofFleet != null) {
      krontabs.accept(ofFleet);
      return;
    }
    try {
      TrustedReader.Reading reading = reader.read(file);
      @Nullable String problem = reading.problem();
      if (problem != null) {
        refuse(file, kind, problem, Status.REFUSED);
      } else if (kind == FileKind.NOTIFY) {
        notify = NotifyParser.parse(file, reading.content(), parsing.maximumLineBytes());
      } else if (kind == FileKind.SERVICE) {
        services.add(serviceParser().parse(file, reading.content()));
      } else {
        krontabs.accept(parser.parse(file, reading.content()));
      }
    } catch (IOException e) {
      refuse(file, kind, "the file cannot be read: " + reason(e), Status.UNREADABLE);
    }
  }

  /**
   * The parser of services, created on demand: a configuration without service files does not load
   * it.
   */
  private ServiceParser serviceParser() {
    ServiceParser made = serviceParser == null ? new ServiceParser(parsing) : serviceParser;
    serviceParser = made;
    return made;
  }

  private void refuse(Path path, FileKind kind, String problem, Status status) {
    if (kind == FileKind.FLEET) {
      fleet = FleetFile.refused(path.toString(), status, problem);
    } else if (kind == FileKind.NOTIFY) {
      notify = NotifyFile.refused(path.toString(), status, problem);
    } else if (kind == FileKind.SERVICE) {
      services.add(ServiceFile.refused(path.toString(), status, problem));
    } else {
      refuse(path, problem, status);
    }
  }

  private void refuse(Path path, String problem, Status status) {
    Diagnostic diagnostic = Diagnostic.ofFile(path.toString(), problem);
    krontabs.accept(new Krontab(path.toString(), status, List.of(), List.of(diagnostic)));
  }

  static String name(Path path) {
    Path name = path.getFileName();
    return name == null ? "" : name.toString();
  }

  static String reason(Exception e) {
    return switch (e) {
      case NoSuchFileException _ -> "it does not exist";
      case AccessDeniedException _ -> "permission denied";
      default -> VisibleText.of(String.valueOf(e.getMessage()));
    };
  }
}
