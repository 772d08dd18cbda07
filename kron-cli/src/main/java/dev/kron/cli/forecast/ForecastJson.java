package dev.kron.cli.forecast;

import dev.kron.cli.forecast.Forecast.Series;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Times;
import dev.kron.json.JsonWriter;
import java.io.IOException;

/** A forecast for programs. */
public final class ForecastJson {
  private ForecastJson() {}

  public static void write(Forecast forecast, Output out) throws IOException {
    JsonWriter json = out.json();
    json.beginObject();
    json.member("from", Times.utc(forecast.from()));
    json.member("to", Times.utc(forecast.end()));
    json.member("bucketSeconds", forecast.bucketSeconds());
    json.member("jobs", forecast.jobs());
    json.member("suspendedJobs", forecast.suspended());
    json.member("unschedulablePeriods", forecast.unschedulable());
    json.member("retriesAtMost", forecast.retriesAtMost());
    json.member("followingStarts", forecast.following());
    series(json, "withWindows", forecast, forecast.withWindows());
    series(json, "withoutWindows", forecast, forecast.withoutWindows());
    json.name("factor");
    if (Double.isFinite(forecast.factor())) {
      json.value(forecast.factor());
    } else {
      json.value((String) null);
    }
    json.name("buckets").beginArray();
    for (int i = 0; i < forecast.buckets(); i++) {
      json.beginObject();
      json.member("start", Times.utc(forecast.start(i)));
      json.member("withWindows", forecast.withWindows().in(i));
      json.member("withoutWindows", forecast.withoutWindows().in(i));
      json.endObject();
    }
    json.endArray().endObject().end();
  }

  private static void series(JsonWriter json, String name, Forecast forecast, Series series)
      throws IOException {
    json.name(name).beginObject();
    json.member("total", series.total());
    json.member("peak", series.peak());
    json.member("peakStart", Times.utc(forecast.start(series.peakBucket())));
    json.endObject();
  }
}
