package holdfast.interop.curator;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;

/** The recipes of Curator by the kinds that the tests know them by. */
final class Recipes {
  private Recipes() {}

  /** {@code named} is a path; a list of paths; or a path with what else the recipe is made with. */
  static Object open(CuratorFramework client, String kind, JsonNode named) {
    String path = named.isObject() ? named.path("path").asText() : named.asText();
    switch (kind) {
      case "mutex":
        return new InterProcessMutex(client, path);
      case "revocableMutex":
        return new RevocableMutex(client, path);
      case "readWriteLock":
        return new InterProcessReadWriteLock(client, path);
      case "semaphoreMutex":
        return new InterProcessSemaphoreMutex(client, path);
      case "semaphore":
        return new Permits(client, path, named.path("permits").asInt());
      case "leaderLatch":
        return new LatchCandidate(client, path, named.path("id").asText());
      case "leaderSelector":
        return new SelectorCandidate(client, path, named.path("id").asText());
      case "sharedCount":
        return new Count(client, path, named.path("seed").asInt());
      case "multiLock":
        List<String> paths = new ArrayList<>();
        named.forEach(one -> paths.add(one.asText()));
        return new InterProcessMultiLock(client, paths);
      default:
        throw new IllegalArgumentException("There is no " + kind + ".");
    }
  }

  /** Of a read-write lock the side that is called; any other recipe itself. */
  static Object sideOf(Object recipe, String kind) {
    if (!(recipe instanceof InterProcessReadWriteLock)) {
      return recipe;
    }
    InterProcessReadWriteLock both = (InterProcessReadWriteLock) recipe;
    return kind.equals("readLock") ? both.readLock() : both.writeLock();
  }
}
