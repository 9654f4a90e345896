package holdfast.interop.redisson;

import com.fasterxml.jackson.databind.JsonNode;
import holdfast.interop.lines.Lines;
import holdfast.interop.lines.Reflected;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.redisson.api.RedissonClient;

/**
 * A program that uses Redisson. Its one argument is a list of settings, a client for each; a line says which of them, the
 * kind of an object, its name, the method and its arguments.
 */
public final class RedissonProgram {
  private final List<RedissonClient> clients = new ArrayList<>();
  /** A lock object remembers the last lease that it was asked for, so a program keeps it, and so do we. */
  private final Map<String, Object> objects = new ConcurrentHashMap<>();
  /** Waits for fair locks that were begun and are to be cancelled, by name. */
  private final Map<String, Future<Void>> begun = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    RedissonProgram program = new RedissonProgram();
    for (JsonNode settings : Lines.plan(args[0])) {
      program.clients.add(Clients.open(settings));
    }
    Lines.serve(program::carryOut);
    Runtime.getRuntime().halt(0);
  }

  private Object carryOut(JsonNode line) throws Exception {
    RedissonClient client = clients.get(line.path("client").asInt());
    String task = line.path("task").asText();
    switch (task) {
      case "increment":
        return Increments.run(client, line);
      case "pairs":
        return Pairs.run(client, line);
      case "id":
        return client.getId();
      case "begin":
        begun.put(line.path("name").asText(), client.getFairLock(line.path("name").asText()).lockAsync());
        return null;
      case "cancel":
        return begun.remove(line.path("name").asText()).cancel(true);
      case "shutdown":
        client.shutdown();
        return null;
      default:
        return Reflected.call(objectOf(client, line), line.path("method").asText(), line.path("args"));
    }
  }

  private Object objectOf(RedissonClient client, JsonNode line) {
    String key = line.path("client").asInt() + " " + line.path("object").asText() + " " + line.path("name");
    return objects.computeIfAbsent(key, unused -> Objects.open(client, line.path("object").asText(), line.path("name")));
  }
}
