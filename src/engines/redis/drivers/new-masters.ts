import type { ClusterAddresses } from './cluster/cluster-places.ts';

/**
 * Calls when a server of a cluster has become a master. A client that reads from replicas has a connection to it already:
 * none is made anew, and no event tells of the failover.
 *
 * Not when a slot has moved between masters: a cluster that is being rebalanced moves thousands of them, one by one, and
 * loses nothing on the way.
 */
export function onNewMaster(addresses: ClusterAddresses, listener: () => void): () => void {
  let known = new Set(addresses.masters());
  return addresses.onChange(() => {
    const masters = new Set(addresses.masters());
    const isNew = [...masters].some((address) => !known.has(address));
    known = masters;
    if (isNew) listener();
  });
}
