package dev.kron.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The simple commands of a shell script, each with its words as they are written, without
 * redirections and assignments. Knows as much of the language as the keepers' scripts use.
 */
final class ShellCommands {
  private static final Set<String> KEYWORDS =
      Set.of("if", "then", "else", "elif", "fi", "while", "until", "do", "done", "{", "}", "!");

  private final String text;
  private final List<List<String>> commands = new ArrayList<>();
  private final List<String> functions = new ArrayList<>();
  private List<String> words = new ArrayList<>();
  private boolean toFile;
  private int at;

  private ShellCommands(String text) {
    this.text = text;
  }

  static ShellCommands of(String script) {
    ShellCommands read = new ShellCommands(script);
    while (read.at < script.length()) {
      read.token();
    }
    read.end();
    return read;
  }

  List<List<String>> commands() {
    return commands;
  }

  List<String> functions() {
    return functions;
  }

  private void token() {
    char c = text.charAt(at);
    if (c == '#') {
      int end = text.indexOf('\n', at);
      at = end < 0 ? text.length() : end;
    } else if (text.startsWith("\\\n", at)) {
      at += 2;
    } else if (c == ' ' || c == '\t') {
      at++;
    } else if (c == '(' && at > 0 && text.startsWith("()", at) && words.size() == 1) {
      functions.add(words.removeFirst());
      at += 2;
    } else if ("\n;&|()".indexOf(c) >= 0) {
      at++;
      end();
    } else if (c == '<' || c == '>') {
      while (at < text.length() && "<>&|".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      toFile = true;
    } else {
      word();
    }
  }

  private void word() {
    int start = at;
    while (at < text.length() && " \t\n;&|()<>".indexOf(text.charAt(at)) < 0) {
      skipOne();
    }
    String word = text.substring(start, at);
    boolean descriptor =
        at < text.length() && "<>".indexOf(text.charAt(at)) >= 0 && word.matches("[0-9]+");
    boolean assignment = words.isEmpty() && word.matches("(?s)[A-Za-z_][A-Za-z_0-9]*=.*");
    if (!toFile && !descriptor && !assignment) {
      if (words.isEmpty() && KEYWORDS.contains(word)) {
        return;
      }
      words.add(word);
    }
    toFile = false;
  }

  /** One character, or all that is quoted or expanded together. */
  private void skipOne() {
    char c = text.charAt(at);
    if (c == '\\') {
      at += 2;
    } else if (c == '\'') {
      at = text.indexOf('\'', at + 1) + 1;
    } else if (c == '"') {
      for (at++; text.charAt(at) != '"'; at++) {
        at += text.charAt(at) == '\\' ? 1 : 0;
      }
      at++;
    } else if (text.startsWith("$((", at)) {
      at = text.indexOf("))", at) + 2;
    } else if (text.startsWith("${", at)) {
      at = text.indexOf('}', at) + 1;
    } else {
      at++;
    }
  }

  private void end() {
    if (!words.isEmpty()) {
      commands.add(words);
      words = new ArrayList<>();
    }
  }
}
