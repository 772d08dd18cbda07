package dev.kron.store;

import dev.kron.json.JsonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The supervisor's state in memory; {@link StateManager} keeps it on disk. For one thread.
 *
 * <p>Each part keeps the bytes of its last encoding, so that a change of one of a thousand services
 * encodes one and copies the rest. Unknown members of the file are kept with the part they belong
 * to.
 */
public final class PersistedState {
  /** The version of the file; newer ones are refused (CTR-0101), older ones migrated. */
  public static final int CURRENT_VERSION = 1;

  /** A part and its encoding. */
  private static final class Part<T> {
    T value;
    final UnknownMembers unknown;
    byte @Nullable [] encoded;

    Part(T value, UnknownMembers unknown) {
      this.value = value;
      this.unknown = unknown;
    }
  }

  private Instant savedAt;
  private final Instant daemonStartedAt;
  private final byte[] unknown;
  private final Map<UUID, Part<ProcessSpec>> specs = new LinkedHashMap<>();
  private final Map<PersistedProcessInstance.Key, Part<PersistedProcessInstance>> instances =
      new LinkedHashMap<>();
  private final Map<String, UUID> byName = new HashMap<>();
  private long revision;
  private byte @Nullable [] wishes;
  private int encodedBytes;

  /** An empty state of this moment. */
  public PersistedState(Instant now) {
    this(now, now, UnknownMembers.NOTHING);
  }

  PersistedState(Instant savedAt, Instant daemonStartedAt, byte[] unknown) {
    this.savedAt = savedAt;
    this.daemonStartedAt = daemonStartedAt;
    this.unknown = unknown;
  }

  /** The same state for a daemon that began later. */
  PersistedState forDaemon(Instant laterDaemon) {
    PersistedState next = new PersistedState(savedAt, laterDaemon, unknown);
    next.specs.putAll(specs);
    next.instances.putAll(instances);
    next.byName.putAll(byName);
    return next;
  }

  public int version() {
    return CURRENT_VERSION;
  }

  /** The time of the last encoding; of the reading, if there was no encoding since. */
  public Instant savedAt() {
    return savedAt;
  }

  public Instant daemonStartedAt() {
    return daemonStartedAt;
  }

  /** The specs in the order in which they were added. */
  public List<ProcessSpec> specs() {
    return values(specs.values());
  }

  /** The instances in the order in which they were added. */
  public List<PersistedProcessInstance> instances() {
    return values(instances.values());
  }

  private static <T> List<T> values(Collection<Part<T>> parts) {
    List<T> values = new ArrayList<>(parts.size());
    for (Part<T> part : parts) {
      values.add(part.value);
    }
    return Collections.unmodifiableList(values);
  }

  public @Nullable ProcessSpec spec(UUID id) {
    Part<ProcessSpec> part = specs.get(id);
    return part == null ? null : part.value;
  }

  public @Nullable ProcessSpec spec(String name) {
    UUID id = byName.get(name);
    return id == null ? null : spec(id);
  }

  public @Nullable PersistedProcessInstance instance(UUID specId, int instanceIndex) {
    Part<PersistedProcessInstance> part =
        instances.get(new PersistedProcessInstance.Key(specId, instanceIndex));
    return part == null ? null : part.value;
  }

  /** Adds a spec, or replaces the one with the same id. */
  public void addSpec(ProcessSpec spec) {
    addSpec(spec, UnknownMembers.NONE);
  }

  void addSpec(ProcessSpec spec, UnknownMembers unknownMembers) {
    UUID holder = byName.get(spec.name());
    if (holder != null && !holder.equals(spec.id())) {
      throw new IllegalArgumentException(
          "the name " + spec.name() + " belongs to " + holder + ", not to " + spec.id());
    }
    revision++;
    wishes = null;
    Part<ProcessSpec> part = specs.get(spec.id());
    if (part == null) {
      specs.put(spec.id(), new Part<>(spec, unknownMembers));
    } else {
      byName.remove(part.value.name());
      part.value = spec;
      part.encoded = null;
    }
    byName.put(spec.name(), spec.id());
  }

  /** Removes a spec and all its instances (CTR-0103); their last processes must be gone. */
  public void removeSpec(UUID id) {
    Part<ProcessSpec> removed = specs.remove(id);
    if (removed == null) {
      return;
    }
    revision++;
    wishes = null;
    byName.remove(removed.value.name());
    instances.keySet().removeIf(key -> key.specId().equals(id));
  }

  /** Adds an instance, or replaces the one with the same key (INV-0201). */
  public void updateInstance(PersistedProcessInstance instance) {
    updateInstance(instance, UnknownMembers.NONE);
  }

  void updateInstance(PersistedProcessInstance instance, UnknownMembers unknownMembers) {
    if (!specs.containsKey(instance.specId())) {
      throw new IllegalArgumentException(
          "an instance of " + instance.specId() + ", of which there is no spec");
    }
    revision++;
    Part<PersistedProcessInstance> part = instances.get(instance.key());
    if (part == null) {
      instances.put(instance.key(), new Part<>(instance, unknownMembers));
    } else {
      part.value = instance;
      part.encoded = null;
    }
  }

  /** Removes an instance of a service that has fewer of them now; its process must be gone. */
  public void removeInstance(UUID specId, int instanceIndex) {
    if (instances.remove(new PersistedProcessInstance.Key(specId, instanceIndex)) != null) {
      revision++;
    }
  }

  /** A counter of changes, to parts as well as to the whole. */
  long revision() {
    return revision;
  }

  void touch() {
    revision++;
  }

  /** The wishes for services, for the file beside this one. */
  byte[] wishes() {
    byte[] known = wishes;
    if (known == null) {
      known = WishFile.encode(specs());
      wishes = known;
    }
    return known;
  }

  /** The contents of the file as of {@code now} (INV-0102). */
  byte[] encode(Instant now) {
    savedAt = now;
    JsonText json = new JsonText(encodedBytes + 4096);
    PersistedStateWriter.begin(json, this);
    Iterator<Part<ProcessSpec>> eachSpec = specs.values().iterator();
    while (eachSpec.hasNext()) {
      Part<ProcessSpec> part = eachSpec.next();
      byte[] bytes = part.encoded;
      if (bytes == null) {
        bytes = PersistedStateWriter.spec(part.value, part.unknown);
        part.encoded = bytes;
      }
      json.raw(bytes, 0, bytes.length).ascii(eachSpec.hasNext() ? ",\n" : "\n");
    }
    PersistedStateWriter.betweenSpecsAndInstances(json, instances.isEmpty());
    Iterator<Part<PersistedProcessInstance>> eachInstance = instances.values().iterator();
    while (eachInstance.hasNext()) {
      Part<PersistedProcessInstance> part = eachInstance.next();
      byte[] bytes = part.encoded;
      if (bytes == null) {
        bytes = PersistedStateWriter.instance(part.value, part.unknown);
        part.encoded = bytes;
      }
      json.raw(bytes, 0, bytes.length).ascii(eachInstance.hasNext() ? ",\n" : "\n");
    }
    PersistedStateWriter.end(json, instances.isEmpty(), unknown);
    encodedBytes = json.length();
    return json.toByteArray();
  }
}
