package holdfast.interop.curator;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;

/** A participant of a LeaderLatch. */
public final class LatchCandidate {
  private final LeaderLatch latch;

  LatchCandidate(CuratorFramework client, String path, String id) {
    latch = new LeaderLatch(client, path, id);
  }

  public void start() throws Exception {
    latch.start();
  }

  public boolean await(long time, TimeUnit unit) throws Exception {
    return latch.await(time, unit);
  }

  public boolean hasLeadership() {
    return latch.hasLeadership();
  }

  /** The last one to have led, by the path of its node: Curator's own handle for fencing. */
  public String getLastPathIsLeader() {
    return latch.getLastPathIsLeader();
  }

  public Collection<String> getParticipants() throws Exception {
    return Participants.shown(latch.getParticipants());
  }

  public String getLeader() throws Exception {
    return Participants.shown(List.of(latch.getLeader())).get(0);
  }

  public void close() throws Exception {
    latch.close();
  }
}
