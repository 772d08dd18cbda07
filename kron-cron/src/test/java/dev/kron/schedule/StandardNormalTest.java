package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against values computed with forty digits. */
final class StandardNormalTest {
  private static final double RELATIVE = 1e-15;

  @ParameterizedTest
  @CsvSource({
    "0, 1.0",
    "1e-20, 0.99999999999999999999",
    "1e-8, 0.99999998871620832904",
    "0.1, 0.8875370839817151016",
    "0.46875, 0.50738652678206200841",
    "0.46876, 0.50737746889315347073",
    "0.5, 0.47950012218695346232",
    "1, 0.15729920705028513066",
    "1.5, 0.033894853524689272933",
    "2, 0.0046777349810472658379",
    "3, 0.000022090496998585441373",
    "3.99, 1.6739211364520814057e-8",
    "4, 1.5417257900280018852e-8",
    "4.01, 1.4196939421371051173e-8",
    "5, 1.5374597944280348502e-12",
    "8, 1.122429717298292708e-29",
    "12.5, 6.2319427819799110061e-70",
    "20, 5.3958656116079009289e-176",
    "26, 5.6631924088561428465e-296",
    "26.5, 2.2109076642637342759e-307",
    "-0.1, 1.1124629160182848984",
    "-0.46875, 1.4926134732179379916",
    "-1, 1.8427007929497148693",
    "-3, 1.9999779095030014146",
    "-6, 1.9999999999999999785",
    "-10, 2.0"
  })
  void erfcIsRightToTheLastDigits(double x, double expected) {
    assertEquals(expected, StandardNormal.erfc(x), RELATIVE * expected);
  }

  @ParameterizedTest
  @CsvSource({
    "1e-300, -37.047096299361199237",
    "1e-100, -21.273453560965324294",
    "1e-30, -11.46402468844361572",
    "1e-16, -8.2220822161304356152",
    "1e-12, -7.0344838253011319326",
    "1.3887943864964021e-11, -6.6579046435011035837",
    "1e-9, -5.9978070150076868614",
    "1e-6, -4.7534243088228989573",
    "0.001, -3.0902323061678135354",
    "0.0749, -1.4402382675279636631",
    "0.075, -1.4395314709384559349",
    "0.0751, -1.4388253927525399824",
    "0.1, -1.2815515655446004353",
    "0.25, -0.6744897501960817432",
    "0.4, -0.25334710313579974132",
    "0.5, 0.0",
    "0.6, 0.25334710313579974132",
    "0.75, 0.6744897501960817432",
    "0.9, 1.2815515655446005935",
    "0.925, 1.4395314709384562291",
    "0.9251, 1.4402382675279638594",
    "0.99, 2.3263478740408407676",
    "0.999999, 4.7534243088170877657",
    "0.9999999999, 6.3613408896974218642"
  })
  void quantileIsRightToTheLastDigits(double p, double expected) {
    // Near the middle, p itself is known to no more than its last bit.
    double tolerance = RELATIVE * Math.max(Math.abs(expected), 0.1);
    assertEquals(expected, StandardNormal.quantile(p), tolerance);
  }

  @Test
  void hasEndsWhereThePublishedRoutineHasFaults() {
    assertEquals(Double.NEGATIVE_INFINITY, StandardNormal.quantile(0));
    assertEquals(Double.POSITIVE_INFINITY, StandardNormal.quantile(1));
    assertEquals(0, StandardNormal.cumulative(-40));
    assertEquals(1, StandardNormal.cumulative(40));
    assertEquals(0.5, StandardNormal.cumulative(0));
    assertEquals(0.5, StandardNormal.cumulative(-0.0));
  }

  @Test
  void quantileInvertsCumulative() {
    for (double z = -8; z < 5; z += 0.0625) {
      double back = StandardNormal.quantile(StandardNormal.cumulative(z));
      assertEquals(z, back, 1e-9, "z = " + z);
    }
  }
}
