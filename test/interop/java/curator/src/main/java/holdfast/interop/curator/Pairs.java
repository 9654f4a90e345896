package holdfast.interop.curator;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Some threads that want one mutex, and want it again as soon as they have released it: for the benchmark. */
final class Pairs {
  private Pairs() {}

  /** How many times each of them had it within so many milliseconds. */
  static List<Long> run(CuratorFramework client, JsonNode line) throws Exception {
    // One object for all threads, as a program has it: each of its threads is an owner of its own.
    InterProcessMutex mutex = new InterProcessMutex(client, line.path("name").asText());
    int threads = line.path("threads").asInt();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long untilNanos = System.nanoTime() + line.path("forMs").asLong() * 1_000_000;
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int at = 0; at < threads; at++) {
        tasks.add(() -> pairsOf(mutex, untilNanos));
      }
      List<Long> counts = new ArrayList<>();
      for (Future<Long> count : pool.invokeAll(tasks)) {
        counts.add(count.get());
      }
      return counts;
    } finally {
      pool.shutdown();
    }
  }

  /** One that enters when the time is over does not count: the others measured beside it do not count theirs either. */
  private static long pairsOf(InterProcessMutex mutex, long untilNanos) throws Exception {
    long pairs = 0;
    while (System.nanoTime() - untilNanos < 0) {
      mutex.acquire();
      if (System.nanoTime() - untilNanos < 0) {
        pairs++;
      }
      mutex.release();
    }
    return pairs;
  }
}
