package shop;

import dev.kron.scheduler.RunContext;
import dev.kron.scheduler.spring.KronTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class ShopApplication {
  private static final Logger LOG = LoggerFactory.getLogger(ShopApplication.class);

  public static void main(String[] args) {
    SpringApplication.run(ShopApplication.class, args);
  }

  @KronTask(value = "* * * * *", name = "report", retryLimit = "5", timeout = "30s")
  void report(RunContext run) {
    LOG.info("report for {}, fencing token {}", run.scheduledAt(), run.fencingToken());
  }
}
