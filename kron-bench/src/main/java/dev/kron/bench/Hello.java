package dev.kron.bench;

/** What a bare start of Java is measured with. */
final class Hello {
  private Hello() {}

  public static void main(String[] args) {
    System.out.println("hello");
  }
}
