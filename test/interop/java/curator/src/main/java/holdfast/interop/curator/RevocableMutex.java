package holdfast.interop.curator;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A mutex whose holder counts how often it was asked to give it up. */
public final class RevocableMutex {
  private final InterProcessMutex mutex;
  private final AtomicInteger revocations = new AtomicInteger();

  RevocableMutex(CuratorFramework client, String path) {
    mutex = new InterProcessMutex(client, path);
    mutex.makeRevocable(unused -> revocations.incrementAndGet());
  }

  public boolean acquire(long time, TimeUnit unit) throws Exception {
    return mutex.acquire(time, unit);
  }

  public void release() throws Exception {
    mutex.release();
  }

  public int revocations() {
    return revocations.get();
  }
}
