package holdfast.interop.curator;

import java.util.List;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/** Every node is for those with the credentials of its creator alone. */
final class CreatorOnly implements ACLProvider {
  @Override
  public List<ACL> getDefaultAcl() {
    return ZooDefs.Ids.CREATOR_ALL_ACL;
  }

  @Override
  public List<ACL> getAclForPath(String path) {
    return ZooDefs.Ids.CREATOR_ALL_ACL;
  }
}
