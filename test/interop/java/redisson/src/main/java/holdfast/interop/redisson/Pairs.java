package holdfast.interop.redisson;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * Some threads, or as many chains of futures, that want one lock, and want it again as soon as they have given it back: for the
 * benchmark.
 */
final class Pairs {
  private Pairs() {}

  /** How many times each of them had it. */
  static List<Long> run(RedissonClient client, JsonNode line) throws Exception {
    String name = line.path("name").asText();
    boolean fair = line.path("kind").asText().equals("fairLock");
    boolean async = line.path("async").asBoolean();
    int threads = line.path("threads").asInt();
    long insideMs = line.path("insideMs").asLong();
    // Milliseconds of the clock that all processes of a machine share.
    long fromMs = line.path("fromMs").asLong();
    long untilMs = line.path("untilMs").asLong();
    Thread.sleep(Math.max(0, fromMs - System.currentTimeMillis()));
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    try {
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int at = 0; at < threads; at++) {
        RLock lock = fair ? client.getFairLock(name) : client.getLock(name);
        long owner = at + 1;
        if (async) {
          tasks.add(() -> new Chain(lock, owner, untilMs, insideMs, timers).run().get());
        } else {
          tasks.add(() -> pairsOf(lock, untilMs, insideMs));
        }
      }
      List<Long> counts = new ArrayList<>();
      for (Future<Long> count : pool.invokeAll(tasks)) {
        counts.add(count.get());
      }
      return counts;
    } finally {
      pool.shutdown();
      timers.shutdown();
    }
  }

  private static long pairsOf(RLock lock, long untilMs, long insideMs) throws InterruptedException {
    long pairs = 0;
    while (System.currentTimeMillis() < untilMs) {
      lock.lock();
      if (insideMs > 0) {
        Thread.sleep(insideMs);
      }
      lock.unlock();
      pairs++;
    }
    return pairs;
  }

  /** One pair after the other without a thread that waits. The number of the owner stands for the thread. */
  private static final class Chain {
    private final RLock lock;
    private final long owner;
    private final long untilMs;
    private final long insideMs;
    private final ScheduledExecutorService timers;
    private final CompletableFuture<Long> over = new CompletableFuture<>();
    private long pairs = 0;

    Chain(RLock lock, long owner, long untilMs, long insideMs, ScheduledExecutorService timers) {
      this.lock = lock;
      this.owner = owner;
      this.untilMs = untilMs;
      this.insideMs = insideMs;
      this.timers = timers;
    }

    CompletableFuture<Long> run() {
      acquire();
      return over;
    }

    private void acquire() {
      if (System.currentTimeMillis() >= untilMs) {
        over.complete(pairs);
      } else {
        then(lock.lockAsync(owner), this::enter);
      }
    }

    private void enter() {
      if (insideMs > 0) {
        timers.schedule(this::release, insideMs, TimeUnit.MILLISECONDS);
      } else {
        release();
      }
    }

    private void release() {
      then(lock.unlockAsync(owner), () -> {
        pairs++;
        acquire();
      });
    }

    private void then(RFuture<Void> step, Runnable next) {
      step.whenComplete((nothing, error) -> {
        if (error == null) {
          next.run();
        } else {
          over.completeExceptionally(error);
        }
      });
    }
  }
}
