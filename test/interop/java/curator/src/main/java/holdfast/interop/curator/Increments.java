package holdfast.interop.curator;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;

/**
 * Increments a number under a lock until it has reached a goal. The number is the last line of a file: each section reads it
 * and appends what follows, in one write. Nothing but the lock keeps two sections from appending the same number.
 */
final class Increments {
  private static final int LINE_BYTES = 64;

  private Increments() {}

  static Object run(CuratorFramework client, JsonNode line) throws Exception {
    InterProcessLock lock = lockOf(client, line.path("kind").asText(), line.path("name").asText());
    int goal = line.path("goal").asInt();
    for (; ; ) {
      if (!lock.acquire(line.path("waitMs").asLong(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("A waiter of Java waited in vain.");
      }
      try {
        if (increment(line.path("file").asText(), goal) >= goal) {
          return null;
        }
      } finally {
        lock.release();
      }
    }
  }

  private static InterProcessLock lockOf(CuratorFramework client, String kind, String path) {
    if (kind.equals("writeLock")) {
      return new InterProcessReadWriteLock(client, path).writeLock();
    }
    return kind.equals("semaphore") ? new InterProcessSemaphoreMutex(client, path) : new InterProcessMutex(client, path);
  }

  private static int increment(String path, int goal) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
      int value = lastOf(file);
      if (value < goal) {
        Thread.yield();
        file.seek(file.length());
        file.write(String.format("%d java%n", value + 1).getBytes(StandardCharsets.UTF_8));
      }
      return value;
    }
  }

  private static int lastOf(RandomAccessFile file) throws IOException {
    long from = Math.max(0, file.length() - LINE_BYTES);
    byte[] tail = new byte[(int) (file.length() - from)];
    file.seek(from);
    file.readFully(tail);
    String[] lines = new String(tail, StandardCharsets.UTF_8).split("\n");
    String last = lines[lines.length - 1];
    return last.isEmpty() ? 0 : Integer.parseInt(last.split(" ")[0]);
  }
}
