package holdfast.interop.curator;

import java.util.Collection;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.recipes.shared.SharedCountListener;
import org.apache.curator.framework.recipes.shared.SharedCountReader;
import org.apache.curator.framework.recipes.shared.VersionedValue;
import org.apache.curator.framework.state.ConnectionState;

/** A SharedCount, and the values that its listener has heard of. */
public final class Count {
  private final SharedCount count;
  private final CopyOnWriteArrayList<Integer> heard = new CopyOnWriteArrayList<>();

  Count(CuratorFramework client, String path, int seed) {
    count = new SharedCount(client, path, seed);
    count.addListener(
        new SharedCountListener() {
          @Override
          public void countHasChanged(SharedCountReader unused, int value) {
            heard.add(value);
          }

          @Override
          public void stateChanged(CuratorFramework unused, ConnectionState state) {
            // Only the values are of interest here.
          }
        });
  }

  public void start() throws Exception {
    count.start();
  }

  public int getCount() {
    return count.getCount();
  }

  public void setCount(int value) throws Exception {
    count.setCount(value);
  }

  /** Only if the count is still the one that this client has seen last. */
  public boolean trySetCount(int value) throws Exception {
    return count.trySetCount(count.getVersionedValue(), value);
  }

  /** One less than this client has seen last, and only if that is still the count. */
  public boolean tryLower() throws Exception {
    VersionedValue<Integer> seen = count.getVersionedValue();
    return count.trySetCount(seen, seen.getValue() - 1);
  }

  public Collection<Integer> heard() {
    return heard;
  }

  public void close() throws Exception {
    count.close();
  }
}
