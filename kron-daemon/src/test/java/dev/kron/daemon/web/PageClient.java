package dev.kron.daemon.web;

import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Does by hand what the page does, so that a test can also do what no page would. */
final class PageClient {
  final int port;
  final String origin;
  String session = "";
  String client = "aClientOfOurs";
  String epoch = "";
  long time;
  private long number;
  private byte[] key = {};

  PageClient(int port) {
    this.port = port;
    this.origin = "http://127.0.0.1:" + port;
  }

  /** An answer: all of it, until the connection ends. */
  record Heard(int status, String headers, String body) {
    Json json() {
      try {
        return Json.parse(body);
      } catch (JsonSyntaxException e) {
        throw new AssertionError(body, e);
      }
    }

    boolean has(String header) {
      return headers.toLowerCase(Locale.ROOT).contains(header.toLowerCase(Locale.ROOT));
    }
  }

  Heard raw(String text) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
      String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = all.indexOf("\r\n\r\n");
      if (end < 0) {
        throw new IOException("no answer: " + all);
      }
      return new Heard(
          Integer.parseInt(all.substring(9, 12)), all.substring(0, end), all.substring(end + 4));
    }
  }

  Heard send(String method, String target, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    String host = more.contains("Host:") ? "" : "Host: 127.0.0.1:" + port + "\r\n";
    return raw(method + " " + target + " HTTP/1.1\r\n" + host + more + "Connection: close\r\n\r\n");
  }

  Heard redeem(String token, String... headers) throws IOException {
    String more = headers.length == 0 ? "Origin: " + origin : String.join("\r\n", headers);
    String body = "Content-Length: " + token.length() + "\r\nConnection: close\r\n\r\n" + token;
    Heard heard =
        raw("POST /session HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n" + more + "\r\n" + body);
    if (heard.status == 200) {
      session = heard.json().text("session");
      key = sha256(heard.json().text("key"));
      challenge();
    }
    return heard;
  }

  /** Asks what signatures begin with. */
  void challenge() throws IOException {
    Json json = send("GET", "/session").json();
    epoch = json.text("epoch");
    time = json.number("time");
  }

  String signature(String method, String target) {
    return signature(method, target, ++number);
  }

  String signature(String method, String target, long count) {
    String parts = session + "." + client + "." + count + "." + time;
    String text =
        String.join(
            "\n", "kron-dashboard-1", epoch, parts.replace('.', '\n'), method, origin, target);
    return "Authorization: Kron " + parts + "." + sign(text);
  }

  private String sign(String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      byte[] signed = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(signed);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** As the page does it. */
  Heard call(String method, String target) throws IOException {
    return send(method, target, signature(method, target));
  }
}
