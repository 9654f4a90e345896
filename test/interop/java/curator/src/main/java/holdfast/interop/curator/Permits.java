package holdfast.interop.curator;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** A semaphore that keeps the leases which a thread has taken, and gives back the latest. */
public final class Permits {
  private final InterProcessSemaphoreV2 semaphore;
  private final ThreadLocal<Deque<Lease>> leases = ThreadLocal.withInitial(ArrayDeque::new);

  Permits(CuratorFramework client, String path, int permits) {
    semaphore = new InterProcessSemaphoreV2(client, path, permits);
  }

  public void acquire() throws Exception {
    leases.get().push(semaphore.acquire());
  }

  public void acquire(int count) throws Exception {
    semaphore.acquire(count).forEach(leases.get()::push);
  }

  public boolean acquire(long time, TimeUnit unit) throws Exception {
    return keep(semaphore.acquire(1, time, unit));
  }

  public boolean acquire(int count, long time, TimeUnit unit) throws Exception {
    return keep(semaphore.acquire(count, time, unit));
  }

  public void release() {
    semaphore.returnLease(leases.get().pop());
  }

  public Collection<String> getParticipantNodes() throws Exception {
    return semaphore.getParticipantNodes();
  }

  private boolean keep(Collection<Lease> taken) {
    if (taken == null) {
      return false;
    }
    taken.forEach(leases.get()::push);
    return true;
  }
}
