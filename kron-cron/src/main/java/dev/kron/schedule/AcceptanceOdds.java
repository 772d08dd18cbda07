package dev.kron.schedule;

/**
 * How likely it is that a period finds an allowed second.
 *
 * @param probability of one draw to be allowed
 * @param allowedSeconds of the window, both ends in
 * @param windowSeconds all seconds of the window, both ends in
 * @param draws how many candidates there are: 64, or 1 where the window is a single second or the
 *     choice is exact
 */
public record AcceptanceOdds(
    double probability, long allowedSeconds, long windowSeconds, int draws) {

  /** The odds of one period; they differ where constraints or clock changes do. */
  public static AcceptanceOdds of(Schedule schedule, long nominal) {
    long window = schedule.window().seconds();
    int draws = window == 0 ? 1 : schedule.maxAttempts();
    if (schedule.constraints().isEmpty()) {
      return new AcceptanceOdds(1, window + 1, window + 1, draws);
    }
    AllowedSeconds allowed = AllowedSeconds.of(schedule, nominal);
    double probability =
        schedule.choosesExactly() && allowed.count() > 0 ? 1 : allowed.probability();
    return new AcceptanceOdds(probability, allowed.count(), window + 1, draws);
  }

  /** The part of the window's seconds that is allowed, 0 to 1. */
  public double allowedShare() {
    return (double) allowedSeconds / windowSeconds;
  }

  /** The probability that every draw misses, so that the period is unschedulable. */
  public double missProbability() {
    return StrictMath.exp(draws * StrictMath.log1p(-probability));
  }
}
