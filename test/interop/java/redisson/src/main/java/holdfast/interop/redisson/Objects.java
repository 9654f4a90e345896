package holdfast.interop.redisson;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The objects of Redisson by the kinds that the tests know them by. */
final class Objects {
  private Objects() {}

  static Object open(RedissonClient client, String kind, JsonNode name) {
    switch (kind) {
      case "lock":
        return client.getLock(name.asText());
      case "fairLock":
        return client.getFairLock(name.asText());
      case "fencedLock":
        return client.getFencedLock(name.asText());
      case "spinLock":
        return client.getSpinLock(name.asText());
      case "readLock":
        return client.getReadWriteLock(name.asText()).readLock();
      case "writeLock":
        return client.getReadWriteLock(name.asText()).writeLock();
      case "semaphore":
        return client.getSemaphore(name.asText());
      case "permitSemaphore":
        return client.getPermitExpirableSemaphore(name.asText());
      case "latch":
        return client.getCountDownLatch(name.asText());
      case "multiLock":
        return multiLock(client, name);
      case "nonReentrantLock":
        return byName(client, "getNonReentrantLock", name.asText());
      case "nonReentrantFairLock":
        return byName(client, "getNonReentrantFairLock", name.asText());
      default:
        throw new IllegalArgumentException("There is no " + kind + ".");
    }
  }

  private static RLock multiLock(RedissonClient client, JsonNode names) {
    List<RLock> members = new ArrayList<>();
    names.forEach(name -> members.add(client.getLock(name.asText())));
    return client.getMultiLock(members.toArray(RLock[]::new));
  }

  /** Not every version that we are compiled with has it. */
  private static Object byName(RedissonClient client, String factory, String name) {
    try {
      Method method = RedissonClient.class.getMethod(factory, String.class);
      return method.invoke(client, name);
    } catch (ReflectiveOperationException error) {
      throw new UnsupportedOperationException(factory, error);
    }
  }
}
