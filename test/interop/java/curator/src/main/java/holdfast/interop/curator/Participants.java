package holdfast.interop.curator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.curator.framework.recipes.leader.Participant;

/** Participants of an election as text: the id, and a mark at the leader. */
final class Participants {
  private Participants() {}

  static List<String> shown(Collection<Participant> participants) {
    List<String> shown = new ArrayList<>();
    for (Participant participant : participants) {
      shown.add(participant.isLeader() ? participant.getId() + " leads" : participant.getId());
    }
    return shown;
  }
}
