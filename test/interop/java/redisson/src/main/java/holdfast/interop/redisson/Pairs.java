package holdfast.interop.redisson;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Some threads that want one lock, and want it again as soon as they have given it back: for the benchmark. */
final class Pairs {
  private Pairs() {}

  /** How many times each of them had it. */
  static List<Long> run(RedissonClient client, JsonNode line) throws Exception {
    String name = line.path("name").asText();
    boolean fair = line.path("kind").asText().equals("fairLock");
    int threads = line.path("threads").asInt();
    // Milliseconds of the clock that all processes of a machine share.
    long fromMs = line.path("fromMs").asLong();
    long untilMs = line.path("untilMs").asLong();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int at = 0; at < threads; at++) {
        tasks.add(() -> pairsOf(fair ? client.getFairLock(name) : client.getLock(name), fromMs, untilMs));
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

  private static long pairsOf(RLock lock, long fromMs, long untilMs) throws InterruptedException {
    Thread.sleep(Math.max(0, fromMs - System.currentTimeMillis()));
    long pairs = 0;
    while (System.currentTimeMillis() < untilMs) {
      lock.lock();
      lock.unlock();
      pairs++;
    }
    return pairs;
  }
}
