package dev.kron.store;

import dev.kron.cron.CronCalendar;
import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file format of pasts: frames, each with a marker, a type, a length and a CRC-32C, so that a
 * damaged frame is skipped and the next one found. Numbers take as many bytes as they need; times
 * are stored as differences.
 */
final class PastFrames {
  static final byte RUN = 'r';
  static final byte DAY = 'd';
  static final byte EVENT = 'e';

  private static final byte MARK = (byte) 0xA7;
  private static final int HEAD_BYTES = 4;
  private static final int CRC_BYTES = 4;
  private static final int LONGEST = 0xFFFF;
  private static final int LONGEST_TEXT = 4096;

  private static final int HAS_START = 1;
  private static final int HAS_NOMINAL = 1 << 1;
  private static final int HAS_CHOSEN = 1 << 2;
  private static final int HAS_EXIT = 1 << 3;
  private static final int HAS_SIGNAL = 1 << 4;
  private static final int HAS_WHY = 1 << 5;
  private static final int HAS_STAGE = 1 << 6;
  private static final int HAS_RUN = 1 << 7;
  private static final int HAS_CAUSE = 1 << 8;
  private static final int SUCCESS = 1 << 9;
  private static final int HAS_BOOT = 1 << 10;
  private static final int HAS_CPU = 1 << 11;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

  private PastFrames() {}

  /** The receiver of what is read from a file. */
  interface Reader {
    void frame(byte type, ByteBuffer payload, int bytes);

    /** Called for bytes between two frames that are not a frame. */
    void damage();
  }

  /** Reads a file and reports every intact frame. It terminates for any input. */
  static void read(byte[] bytes, int from, Reader reader) {
    int at = from;
    boolean damaged = false;
    while (at < bytes.length) {
      int end = end(bytes, at);
      if (end < 0) {
        damaged = true;
        at++;
        continue;
      }
      try {
        int length = end - at - HEAD_BYTES - CRC_BYTES;
        reader.frame(bytes[at + 1], ByteBuffer.wrap(bytes, at + HEAD_BYTES, length), end - at);
      } catch (BufferUnderflowException | IllegalArgumentException e) {
        damaged = true; // somebody newer wrote it
      }
      at = end;
    }
    if (damaged) {
      reader.damage();
    }
  }

  /** The end of the frame that begins here; −1 if there is none. */
  private static int end(byte[] bytes, int at) {
    if (bytes[at] != MARK || at + HEAD_BYTES + CRC_BYTES > bytes.length) {
      return -1;
    }
    int length = ((bytes[at + 2] & 0xFF) << 8) | (bytes[at + 3] & 0xFF);
    int crcAt = at + HEAD_BYTES + length;
    if (crcAt + CRC_BYTES > bytes.length) {
      return -1;
    }
    int crc = ByteBuffer.wrap(bytes, crcAt, CRC_BYTES).getInt();
    return crc == crc(bytes, at, crcAt - at) ? crcAt + CRC_BYTES : -1;
  }

  private static int crc(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  private byte[] frame(byte type) {
    byte[] payload = out.toByteArray();
    if (payload.length > LONGEST) {
      throw new IllegalArgumentException("a frame of " + payload.length + " bytes");
    }
    ByteBuffer frame = ByteBuffer.allocate(HEAD_BYTES + payload.length + CRC_BYTES);
    frame.put(MARK).put(type).putShort((short) payload.length).put(payload);
    frame.putInt(crc(frame.array(), 0, frame.position()));
    return frame.array();
  }

  private void number(long value) {
    long left = (value << 1) ^ (value >> 63); // small ones stay small, also below 0
    while ((left & ~0x7FL) != 0) {
      out.write((int) ((left & 0x7F) | 0x80));
      left >>>= 7;
    }
    out.write((int) left);
  }

  private static long number(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        break;
      }
    }
    return (value >>> 1) ^ -(value & 1);
  }

  private void text(String text) {
    String kept = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    byte[] bytes = kept.getBytes(StandardCharsets.UTF_8);
    number(bytes.length);
    out.writeBytes(bytes);
  }

  private static String text(ByteBuffer in) {
    long length = number(in);
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException("a text of " + length + " bytes");
    }
    byte[] bytes = new byte[(int) length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static int flag(boolean set, int flag) {
    return set ? flag : 0;
  }

  static byte[] run(HistoryEntry entry) {
    var to = new PastFrames();
    Integer exit = entry.exitCode();
    Integer signal = entry.signal();
    Reason why = entry.why();
    long second = Math.floorDiv(entry.completedAt(), 1000L);
    to.number(
        flag(entry.startedAt() != 0, HAS_START)
            | flag(entry.nominal() != CronCalendar.NONE, HAS_NOMINAL)
            | flag(entry.chosen() != CronCalendar.NONE, HAS_CHOSEN)
            | flag(exit != null, HAS_EXIT)
            | flag(signal != null, HAS_SIGNAL)
            | flag(why != null, HAS_WHY)
            | flag(entry.stage() != null, HAS_STAGE)
            | flag(entry.runId() != null, HAS_RUN)
            | flag(entry.cause() != null, HAS_CAUSE)
            | flag(entry.success(), SUCCESS)
            | flag(entry.bootPeriod() != null, HAS_BOOT)
            | flag(entry.cpuMillis() != null, HAS_CPU));
    to.text(entry.outcome().text());
    to.number(entry.completedAt());
    to.number(entry.attempt());
    if (entry.startedAt() != 0) {
      to.number(entry.completedAt() - entry.startedAt());
    }
    if (entry.nominal() != CronCalendar.NONE) {
      to.number(second - entry.nominal());
    }
    if (entry.chosen() != CronCalendar.NONE) {
      to.number(second - entry.chosen());
    }
    if (exit != null) {
      to.number(exit);
    }
    if (signal != null) {
      to.number(signal);
    }
    if (why != null) {
      to.text(why.cause().word());
      to.number(why.lateSeconds());
      to.number(why.deadlineSeconds());
      to.text(why.text());
    }
    for (String text :
        new @Nullable String[] {entry.stage(), entry.runId(), entry.cause(), entry.bootPeriod()}) {
      if (text != null) {
        to.text(text);
      }
    }
    if (entry.cpuMillis() != null) {
      to.number(entry.cpuMillis());
    }
    return to.frame(RUN);
  }

  static HistoryEntry run(ByteBuffer in) {
    int flags = (int) number(in);
    Outcome outcome = Outcome.valueOf(text(in).toUpperCase(Locale.ROOT));
    long completedAt = number(in);
    int attempt = (int) number(in);
    long second = Math.floorDiv(completedAt, 1000L);
    long startedAt = (flags & HAS_START) == 0 ? 0 : completedAt - number(in);
    long nominal = (flags & HAS_NOMINAL) == 0 ? CronCalendar.NONE : second - number(in);
    long chosen = (flags & HAS_CHOSEN) == 0 ? CronCalendar.NONE : second - number(in);
    Integer exit = (flags & HAS_EXIT) == 0 ? null : Integer.valueOf((int) number(in));
    Integer signal = (flags & HAS_SIGNAL) == 0 ? null : Integer.valueOf((int) number(in));
    Reason why =
        (flags & HAS_WHY) == 0
            ? null
            : new Reason(Reason.Cause.ofWord(text(in)), number(in), number(in), text(in));
    String stage = (flags & HAS_STAGE) == 0 ? null : text(in);
    String runId = (flags & HAS_RUN) == 0 ? null : text(in);
    String cause = (flags & HAS_CAUSE) == 0 ? null : text(in);
    String bootPeriod = (flags & HAS_BOOT) == 0 ? null : text(in);
    Long cpuMillis = (flags & HAS_CPU) == 0 ? null : Long.valueOf(number(in));
    return HistoryEntry.builder(nominal, outcome)
        .chosen(chosen)
        .startedAt(startedAt)
        .completedAt(completedAt)
        .exitCode(exit)
        .signal(signal)
        .why(why)
        .stage(stage)
        .runId(runId)
        .success((flags & SUCCESS) != 0)
        .attempt(attempt)
        .cause(cause)
        .bootPeriod(bootPeriod)
        .cpuMillis(cpuMillis)
        .build();
  }

  static byte[] day(long epochDay, PastDay day) {
    var to = new PastFrames();
    to.number(epochDay);
    to.number(Ending.values().length);
    for (Ending ending : Ending.values()) {
      to.number(day.counts.getOrDefault(ending, 0L));
    }
    to.number(day.durations.size());
    int before = 0;
    for (Map.Entry<Integer, Long> step : day.durations.entrySet()) {
      to.number(step.getKey() - before);
      to.number(step.getValue());
      before = step.getKey();
    }
    return to.frame(DAY);
  }

  /** Adds a day that was read to the known ones. */
  static void day(ByteBuffer in, Map<Long, PastDay> days) {
    long epochDay = number(in);
    PastDay day = days.computeIfAbsent(epochDay, key -> new PastDay());
    int endings = (int) number(in);
    int read = 0;
    for (Ending ending : Ending.values()) {
      long count = read++ < endings ? number(in) : 0;
      if (count > 0) {
        day.counts.merge(ending, count, Long::sum);
      }
    }
    for (; read < endings; read++) {
      var _ = number(in); // of a newer version
    }
    long steps = number(in);
    int step = 0;
    for (long i = 0; i < steps; i++) {
      step += (int) number(in);
      day.durations.merge(step, number(in), Long::sum);
    }
  }

  static byte[] event(PastEvent event) {
    var to = new PastFrames();
    Integer exit = event.exitCode();
    to.number(event.atMillis());
    to.text(event.instance());
    to.text(event.what());
    to.number(exit == null ? 0 : 1);
    to.number(exit == null ? 0 : exit);
    to.text(event.reason() == null ? "" : event.reason());
    to.text(event.runId() == null ? "" : event.runId());
    return to.frame(EVENT);
  }

  static PastEvent event(ByteBuffer in) {
    long at = number(in);
    String instance = text(in);
    String what = text(in);
    boolean hasExit = number(in) != 0;
    long exit = number(in);
    String reason = text(in);
    String runId = text(in);
    return new PastEvent(
        at,
        instance,
        what,
        hasExit ? Integer.valueOf((int) exit) : null,
        reason.isEmpty() ? null : reason,
        runId.isEmpty() ? null : runId);
  }
}
