package dev.kron.daemon.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * As much of Prometheus' query language as alert rules need, with its types: selectors, ranges,
 * functions, aggregations, comparisons, arithmetic and sets. Anything else is an error.
 */
final class PromQl {
  /** What an expression gives. */
  enum Type {
    SCALAR,
    VECTOR,
    RANGE
  }

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:(?<duration>(?:\\d+(?:ms|[smhdwy]))+)|(?<number>\\d+(?:\\.\\d+)?)"
              + "|(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?<text>\"[^\"]*\")"
              + "|(?<sign>=~|!~|!=|==|>=|<=|[-+*/<>={}()\\[\\],]))");

  private static final Set<String> AGGREGATIONS = Set.of("sum", "min", "max", "avg", "count");
  private static final Set<String> OPERATORS =
      Set.of("==", "!=", ">", "<", ">=", "<=", "+", "-", "*", "/");
  private static final Map<String, List<Type>> FUNCTIONS =
      Map.of(
          "time", List.of(),
          "abs", List.of(Type.VECTOR),
          "rate", List.of(Type.RANGE),
          "increase", List.of(Type.RANGE),
          "histogram_quantile", List.of(Type.SCALAR, Type.VECTOR));

  private final List<String> kinds = new ArrayList<>();
  private final List<String> tokens = new ArrayList<>();
  private final List<Selector> selectors = new ArrayList<>();
  private final List<String> grouped = new ArrayList<>();
  private int at;

  /**
   * A selector of series.
   *
   * @param labels the texts that labels are compared with, by their names
   */
  record Selector(String metric, Map<String, String> labels) {}

  private PromQl(String text) {
    Matcher matcher = TOKEN.matcher(text);
    int end = 0;
    while (end < text.length() && matcher.find(end) && matcher.start() == end) {
      for (String kind : List.of("duration", "number", "name", "text", "sign")) {
        if (matcher.group(kind) != null) {
          kinds.add(kind);
          tokens.add(matcher.group(kind));
        }
      }
      end = matcher.end();
    }
    if (!text.substring(end).isBlank()) {
      throw new IllegalArgumentException("unexpected: " + text.substring(end));
    }
  }

  /**
   * @throws IllegalArgumentException if it is none
   */
  static Type typeOf(String expression) {
    return new PromQl(expression).whole();
  }

  private Type whole() {
    Type type = expression();
    if (at < tokens.size()) {
      throw new IllegalArgumentException("unexpected: " + tokens.get(at));
    }
    return type;
  }

  /** The series that an expression asks for. */
  static List<Selector> selectorsOf(String expression) {
    var parser = new PromQl(expression);
    parser.whole();
    return parser.selectors;
  }

  /** The labels by which an expression groups; empty: it does not. */
  static List<String> groupsOf(String expression) {
    var parser = new PromQl(expression);
    parser.whole();
    return parser.grouped;
  }

  private boolean is(String token) {
    return at < tokens.size() && tokens.get(at).equals(token);
  }

  private boolean takes(String token) {
    boolean taken = is(token);
    at += taken ? 1 : 0;
    return taken;
  }

  private String take(String kind) {
    if (at >= tokens.size() || !kinds.get(at).equals(kind)) {
      throw new IllegalArgumentException("a " + kind + " is missing at token " + at);
    }
    return tokens.get(at++);
  }

  private void need(String sign) {
    if (!takes(sign)) {
      throw new IllegalArgumentException(sign + " is missing at token " + at);
    }
  }

  private Type expression() {
    Type type = arithmetic();
    while (takes("and") || takes("or") || takes("unless")) {
      require(Type.VECTOR, type);
      require(Type.VECTOR, arithmetic());
    }
    return type;
  }

  private Type arithmetic() {
    Type type = operand();
    while (at < tokens.size() && OPERATORS.contains(tokens.get(at))) {
      at++;
      Type right = operand();
      if (type == Type.RANGE || right == Type.RANGE) {
        throw new IllegalArgumentException("a range cannot be compared");
      }
      type = type == Type.SCALAR ? right : type;
    }
    return type;
  }

  private Type operand() {
    if (takes("(")) {
      Type type = expression();
      need(")");
      return type;
    }
    if (at < tokens.size() && kinds.get(at).equals("number")) {
      at++;
      return Type.SCALAR;
    }
    String name = take("name");
    if (AGGREGATIONS.contains(name)) {
      return aggregation();
    }
    return is("(") ? call(name) : selector(name);
  }

  private Type aggregation() {
    if (takes("by") || takes("without")) {
      need("(");
      do {
        grouped.add(take("name"));
      } while (takes(","));
      need(")");
    }
    need("(");
    require(Type.VECTOR, expression());
    need(")");
    return Type.VECTOR;
  }

  private Type call(String name) {
    List<Type> parameters = FUNCTIONS.get(name);
    if (parameters == null) {
      throw new IllegalArgumentException("there is no function " + name);
    }
    need("(");
    for (int i = 0; i < parameters.size(); i++) {
      if (i > 0) {
        need(",");
      }
      require(parameters.get(i), expression());
    }
    need(")");
    return parameters.isEmpty() ? Type.SCALAR : Type.VECTOR;
  }

  private Type selector(String metric) {
    Map<String, String> labels = new TreeMap<>();
    selectors.add(new Selector(metric, labels));
    if (takes("{")) {
      do {
        String label = take("name");
        if (!takes("=") && !takes("!=") && !takes("=~") && !takes("!~")) {
          throw new IllegalArgumentException("a matcher has no operator");
        }
        String text = take("text");
        labels.put(label, text.substring(1, text.length() - 1));
        Pattern.compile(text);
      } while (takes(","));
      need("}");
    }
    if (takes("[")) {
      take("duration");
      need("]");
      return Type.RANGE;
    }
    return Type.VECTOR;
  }

  private static void require(Type wanted, Type found) {
    if (wanted != found) {
      throw new IllegalArgumentException("a " + wanted + " is needed, not a " + found);
    }
  }
}
