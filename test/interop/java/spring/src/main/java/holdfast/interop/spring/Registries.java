package holdfast.interop.spring;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Registries by their settings. */
final class Registries {
  private Registries() {}

  static LockRegistry open(JsonNode settings) {
    LettuceConnectionFactory connections = connectionsTo(settings.path("place"));
    connections.afterPropertiesSet();
    connections.start();
    String registryKey = settings.path("registryKey").asText();
    long expireAfterMs = settings.path("expireAfter").asLong(60_000);
    RedisLockRegistry registry = new RedisLockRegistry(connections, registryKey, expireAfterMs);
    registry.setRedisLockType(
        settings.path("type").asText().equals("pubSub") ? RedisLockType.PUB_SUB_LOCK : RedisLockType.SPIN_LOCK);
    if (settings.path("renewed").asBoolean()) {
      registry.setRenewalTaskScheduler(scheduler());
    }
    return registry;
  }

  private static LettuceConnectionFactory connectionsTo(JsonNode place) {
    if (!place.has("cluster")) {
      return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", place.path("port").asInt()));
    }
    List<String> nodes = new ArrayList<>();
    place.path("cluster").forEach(port -> nodes.add("127.0.0.1:" + port.asInt()));
    return new LettuceConnectionFactory(new RedisClusterConfiguration(nodes));
  }

  private static ThreadPoolTaskScheduler scheduler() {
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.setDaemon(true);
    scheduler.afterPropertiesSet();
    return scheduler;
  }
}
