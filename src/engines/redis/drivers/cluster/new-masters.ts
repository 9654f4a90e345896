import type { ClusterAddresses } from './cluster-routing.ts';

/**
 * Calls the listener when a server of a cluster has become a master. A client that reads from replicas is connected to it
 * already, so neither a reconnect nor an event reports the failover.
 *
 * Does not call when a slot has moved between masters: a rebalanced cluster moves thousands of slots, one by one, and loses
 * no holds.
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
