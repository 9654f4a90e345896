package holdfast.interop.curator;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

/** A client with its session, and every state that its connection has been in. */
final class Connected {
  private static final int CONNECT_SECONDS = 30;
  private static final int RETRY_MS = 100;
  private static final int USUAL_RETRIES = 1;

  private final CuratorFramework client;
  private final List<String> states = new CopyOnWriteArrayList<>();

  private Connected(CuratorFramework client) {
    this.client = client;
  }

  static Connected open(JsonNode settings) throws InterruptedException {
    CuratorFrameworkFactory.Builder builder =
        CuratorFrameworkFactory.builder()
            .connectString(settings.path("servers").asText())
            .sessionTimeoutMs(settings.path("sessionMs").asInt())
            .connectionTimeoutMs(settings.path("sessionMs").asInt() / 2)
            .retryPolicy(new RetryNTimes(settings.path("retries").asInt(USUAL_RETRIES), RETRY_MS));
    if (settings.has("namespace")) {
      builder.namespace(settings.path("namespace").asText());
    }
    if (settings.has("digest")) {
      builder.authorization("digest", settings.path("digest").asText().getBytes(StandardCharsets.UTF_8));
      builder.aclProvider(new CreatorOnly());
    }
    Connected connected = new Connected(builder.build());
    connected.client.getConnectionStateListenable().addListener((unused, state) -> connected.states.add(state.name()));
    connected.client.start();
    if (!connected.client.blockUntilConnected(CONNECT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("No connection to " + settings.path("servers").asText());
    }
    return connected;
  }

  CuratorFramework client() {
    return client;
  }

  List<String> states() {
    return states;
  }
}
