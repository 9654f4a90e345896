package holdfast.interop.redisson;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchOptions.ExecutionMode;
import org.redisson.api.RBatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Increments a number under a lock until it has reached a goal: reads it, and writes what follows together with a record
 * of who wrote it, in one transaction. Nothing but the lock keeps two from writing the same number.
 */
final class Increments {
  private Increments() {}

  /** How often a lock was no longer ours when we gave it back: its lease had ended. */
  static long run(RedissonClient client, JsonNode line) throws InterruptedException {
    String kind = line.path("kind").asText();
    String name = line.path("name").asText();
    long goal = line.path("goal").asLong();
    boolean reads = line.path("reads").asBoolean();
    long lost = 0;
    for (; ; ) {
      try {
        if (reads) {
          Thread.sleep(line.path("pauseMs").asLong());
        }
        if ((reads ? readTwice(client, name) : increment(client, kind, name, goal)) >= goal) {
          return lost;
        }
      } catch (IllegalMonitorStateException ended) {
        lost++;
      }
    }
  }

  /** A reader sees the number stand still. */
  private static long readTwice(RedissonClient client, String name) {
    RLock lock = client.getReadWriteLock(name).readLock();
    lock.lock();
    try {
      long first = valueOf(client, name);
      long second = valueOf(client, name);
      if (first != second) {
        client.getList(name + ":torn", StringCodec.INSTANCE).add("java " + first + " " + second);
      }
      return second;
    } finally {
      lock.unlock();
    }
  }

  private static long increment(RedissonClient client, String kind, String name, long goal) {
    RLock lock = lockOf(client, kind, name);
    String fence = "-";
    if (lock instanceof RFencedLock fenced) {
      fence = String.valueOf(fenced.lockAndGetToken());
    } else {
      lock.lock();
    }
    try {
      long value = valueOf(client, name);
      if (value < goal) {
        write(client, name, value + 1, fence);
      }
      return value;
    } finally {
      lock.unlock();
    }
  }

  private static RLock lockOf(RedissonClient client, String kind, String name) {
    if (kind.equals("fairLock")) {
      return client.getFairLock(name);
    }
    if (kind.equals("writeLock")) {
      RReadWriteLock both = client.getReadWriteLock(name);
      return both.writeLock();
    }
    return client.getFencedLock(name);
  }

  private static long valueOf(RedissonClient client, String name) {
    Object value = client.getBucket(name + ":value", StringCodec.INSTANCE).get();
    return value == null ? 0 : Long.parseLong((String) value);
  }

  private static void write(RedissonClient client, String name, long value, String fence) {
    BatchOptions atomic = BatchOptions.defaults().executionMode(ExecutionMode.REDIS_WRITE_ATOMIC);
    RBatch batch = client.createBatch(atomic);
    batch.getBucket(name + ":value", StringCodec.INSTANCE).setAsync(String.valueOf(value));
    batch.getList(name + ":records", StringCodec.INSTANCE).addAllAsync(List.of(value + " " + fence + " java"));
    batch.execute();
  }
}
