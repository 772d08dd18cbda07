package dev.kron.simulation.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which methods a test reaches: their classes are changed to set a byte in a file that is mapped.
 * That also holds for the daemons that a test starts and kills, since the class path tells which
 * file.
 */
public final class Reached {
  private static final String WHERE = "reached-file";
  private static final int LIMIT = 1 << 16;
  private static final MappedByteBuffer MAP = map();

  private Reached() {}

  private static MappedByteBuffer map() {
    try (InputStream in = Reached.class.getClassLoader().getResourceAsStream(WHERE)) {
      if (in == null) {
        throw new IllegalStateException(WHERE + " is not on the class path");
      }
      return map(Path.of(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MappedByteBuffer map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, LIMIT);
    }
  }

  /** Called first by every method that is looked at. */
  public static void method(int number) {
    MAP.put(number, (byte) 1);
  }

  /** The changed classes, and the names of their methods by number. */
  static final class Probes {
    private final Path directory;
    private final Path file;
    private final List<String> methods = new ArrayList<>();

    Probes(Path directory) throws IOException {
      this.directory = directory;
      this.file = directory.resolve("reached");
      Files.createDirectories(directory);
      Files.writeString(directory.resolve(WHERE), file.toString());
    }

    void plantIn(byte[] bytes) throws IOException {
      ClassModel model = ClassFile.of().parse(bytes);
      String name = model.thisClass().asInternalName();
      byte[] changed =
          ClassFile.of()
              .transformClass(
                  model,
                  (builder, element) -> {
                    if (element instanceof MethodModel method && method.code().isPresent()) {
                      int number = methods.size();
                      methods.add(
                          name.replace('/', '.')
                              + "."
                              + method.methodName().stringValue()
                              + method.methodType().stringValue());
                      builder.transformMethod(
                          method, MethodTransform.transformingCode(probe(number)));
                    } else {
                      builder.with(element);
                    }
                  });
      Path target = directory.resolve(name + ".class");
      Files.createDirectories(target.getParent());
      Files.write(target, changed);
    }

    private static CodeTransform probe(int number) {
      return new CodeTransform() {
        @Override
        public void atStart(CodeBuilder builder) {
          builder
              .loadConstant(number)
              .invokestatic(
                  ClassDesc.of(Reached.class.getName()),
                  "method",
                  MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int));
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
          builder.with(element);
        }
      };
    }

    void forget() throws IOException {
      Files.deleteIfExists(file);
    }

    Set<String> reached() throws IOException {
      Set<String> found = new HashSet<>();
      byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
      for (int i = 0; i < Math.min(bytes.length, methods.size()); i++) {
        if (bytes[i] != 0) {
          found.add(methods.get(i));
        }
      }
      return found;
    }
  }
}
