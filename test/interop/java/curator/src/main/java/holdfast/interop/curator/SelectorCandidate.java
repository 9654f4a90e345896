package holdfast.interop.curator;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;

/** A participant of a LeaderSelector, which leads until it is told to stop or the connection is lost. */
public final class SelectorCandidate {
  private final LeaderSelector selector;
  private final Semaphore ends = new Semaphore(0);
  private volatile int terms;
  private volatile int interruptions;

  SelectorCandidate(CuratorFramework client, String path, String id) {
    selector = new LeaderSelector(client, path, new Leading());
    selector.setId(id);
  }

  public void start() {
    selector.start();
  }

  /** Stands for election again after each term. */
  public void autoRequeue() {
    selector.autoRequeue();
  }

  /** Ends the term. */
  public void resign() {
    ends.release();
  }

  public boolean hasLeadership() {
    return selector.hasLeadership();
  }

  /** How often it has become the leader. */
  public int terms() {
    return terms;
  }

  /** How often a term was ended by Curator, because the session was in doubt. */
  public int interruptions() {
    return interruptions;
  }

  public Collection<String> getParticipants() throws Exception {
    return Participants.shown(selector.getParticipants());
  }

  public String getLeader() throws Exception {
    return Participants.shown(List.of(selector.getLeader())).get(0);
  }

  public void close() {
    selector.close();
  }

  private final class Leading extends LeaderSelectorListenerAdapter {
    @Override
    public void takeLeadership(CuratorFramework client) {
      terms++;
      try {
        ends.acquire();
      } catch (InterruptedException cancelled) {
        interruptions++;
        Thread.currentThread().interrupt();
      }
    }
  }
}
