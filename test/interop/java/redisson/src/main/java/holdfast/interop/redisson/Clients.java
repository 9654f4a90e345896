package holdfast.interop.redisson;

import com.fasterxml.jackson.databind.JsonNode;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A client with Redisson's own defaults, but for what the test sets. */
final class Clients {
  private Clients() {}

  static RedissonClient open(JsonNode settings) {
    Config config = new Config();
    JsonNode cluster = settings.path("place").path("cluster");
    if (cluster.isArray()) {
      cluster.forEach(port -> config.useClusterServers().addNodeAddress(address(port)));
    } else {
      config.useSingleServer().setAddress(address(settings.path("place").path("port")));
    }
    if (settings.has("lockWatchdogTimeout")) {
      config.setLockWatchdogTimeout(settings.path("lockWatchdogTimeout").asLong());
    }
    if (settings.has("fairLockWaitTimeout")) {
      config.setFairLockWaitTimeout(settings.path("fairLockWaitTimeout").asLong());
    }
    if (settings.path("fewConnections").asBoolean()) {
      keepFewConnections(config, cluster.isArray());
    }
    return Redisson.create(config);
  }

  /** Two dozen connections to each server are opened at the start otherwise, by each of many short-lived programs. */
  private static void keepFewConnections(Config config, boolean inCluster) {
    config.setNettyThreads(4);
    config.setThreads(4);
    if (inCluster) {
      config.useClusterServers().setMasterConnectionMinimumIdleSize(1).setSlaveConnectionMinimumIdleSize(1);
    } else {
      config.useSingleServer().setConnectionMinimumIdleSize(1);
    }
  }

  private static String address(JsonNode port) {
    return "redis://127.0.0.1:" + port.asInt();
  }
}
