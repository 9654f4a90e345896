package holdfast.interop.curator;

import com.fasterxml.jackson.databind.JsonNode;
import holdfast.interop.lines.Lines;
import holdfast.interop.lines.Reflected;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.Revoker;

/**
 * A program that uses Curator. Its one argument is a list of settings, a client for each; a line says which of them, the
 * kind of a recipe, its path, the method and its arguments.
 */
public final class CuratorProgram {
  private final List<Connected> clients = new ArrayList<>();
  /** A recipe remembers in its own fields which threads hold it, so a program keeps it, and so does this one. */
  private final Map<String, Object> recipes = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    CuratorProgram program = new CuratorProgram();
    for (JsonNode settings : Lines.plan(args[0])) {
      program.clients.add(Connected.open(settings));
    }
    Lines.serve(program::carryOut);
    Runtime.getRuntime().halt(0);
  }

  private Object carryOut(JsonNode line) throws Exception {
    Connected connected = clients.get(line.path("client").asInt());
    CuratorFramework client = connected.client();
    switch (line.path("task").asText()) {
      case "increment":
        return Increments.run(client, line);
      case "pairs":
        return Pairs.run(client, line);
      case "revoke":
        Revoker.attemptRevoke(client, line.path("path").asText());
        return null;
      case "delete":
        client.delete().forPath(line.path("path").asText());
        return null;
      case "states":
        return connected.states();
      case "close":
        client.close();
        return null;
      default:
        return Reflected.call(recipeOf(client, line), line.path("method").asText(), line.path("args"));
    }
  }

  private Object recipeOf(CuratorFramework client, JsonNode line) {
    String kind = line.path("recipe").asText();
    // Both sides of a read-write lock are of one object: only then may its writer take the read side.
    String side = kind.equals("readLock") || kind.equals("writeLock") ? "readWriteLock" : kind;
    String key = line.path("client").asInt() + " " + side + " " + line.path("named");
    Object recipe = recipes.computeIfAbsent(key, unused -> Recipes.open(client, side, line.path("named")));
    return Recipes.sideOf(recipe, kind);
  }
}
