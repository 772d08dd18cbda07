package dev.kron.scheduler;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** The logging back end of these tests: a test may listen to it, and let it fail. */
public final class TestLogging implements SLF4JServiceProvider {
  private static final AtomicReference<@Nullable Consumer<Line>> BACK_END = new AtomicReference<>();

  private final MDCAdapter mdc = new BasicMDCAdapter();
  private final IMarkerFactory markers = new BasicMarkerFactory();

  /** One line of the log. */
  record Line(Level level, String text, @Nullable Throwable thrown) {}

  /** Logs to the given back end until the result is closed. */
  static AutoCloseable to(Consumer<Line> backEnd) {
    BACK_END.set(backEnd);
    return () -> BACK_END.set(null);
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> new TestLogger();
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}

  private static final class TestLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return BACK_END.get() != null;
    }

    @Override
    public boolean isInfoEnabled() {
      return BACK_END.get() != null;
    }

    @Override
    public boolean isWarnEnabled() {
      return BACK_END.get() != null;
    }

    @Override
    public boolean isErrorEnabled() {
      return BACK_END.get() != null;
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String format,
        Object @Nullable [] arguments,
        @Nullable Throwable thrown) {
      Consumer<Line> backEnd = BACK_END.get();
      if (backEnd != null) {
        String text = MessageFormatter.basicArrayFormat(format, arguments);
        if (thrown != null) {
          text += ": " + thrown.getMessage();
        }
        backEnd.accept(new Line(level, text, thrown));
      }
    }
  }
}
