package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileKindTest {
  @ParameterizedTest
  @CsvSource({
    "jobs.kron, KRONTAB",
    "jobs.krontab, KRONTAB",
    "jobs, KRONTAB",
    "a.b.kron, KRONTAB",
    "Jobs_2-x, KRONTAB",
    "web.toml, SERVICE",
    "notify.toml, NOTIFY",
    "notify.toml.bak, PASSED_OVER",
    ".hidden, PASSED_OVER",
    ".hidden.kron, PASSED_OVER",
    ".x.toml, PASSED_OVER",
    "jobs~, PASSED_OVER",
    "jobs.kron~, PASSED_OVER",
    "jobs.bak, PASSED_OVER",
    "jobs.kron.bak, PASSED_OVER",
    "jobs.dpkg-new, PASSED_OVER",
    "jobs.kron.dpkg-old, PASSED_OVER",
    "jobs.rpmsave, PASSED_OVER",
    "jobs.kron.rpmnew, PASSED_OVER",
    "jobs.KRON, PASSED_OVER",
    "jobs.txt, PASSED_OVER",
    "jobs., PASSED_OVER",
    "jobs.kron.swp, PASSED_OVER",
  })
  void goesByTheName(String name, FileKind kind) {
    assertEquals(kind, FileKind.of(name));
  }
}
