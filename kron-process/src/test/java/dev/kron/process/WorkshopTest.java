package dev.kron.process;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test that starts real processes, in a workshop that is opened before it and closed after it.
 */
abstract class WorkshopTest {
  @TempDir Path root;
  Workshop workshop;

  @BeforeEach
  void open() {
    workshop = new Workshop(root);
  }

  @AfterEach
  void close() {
    workshop.close();
  }
}
