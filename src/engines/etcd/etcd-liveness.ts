import { SessionLiveness, type SessionLivenessPlan } from '../../kernels/session-liveness.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { EtcdClient } from './client/session/etcd-client.ts';
import type { GrantedLease } from './client/session/lease-status.ts';
import { explainEtcdError } from './explain-etcd-error.ts';
import { leaseName } from './layout/ticket-keys.ts';

/** The session of one engine object: a lease of etcd, and the next one when it has ended. */
export class EtcdLiveness extends SessionLiveness<EtcdClient, GrantedLease> {
  constructor(plan: SessionLivenessPlan<EtcdClient, GrantedLease>) {
    super(plan, {
      noSession: 'there is no session with etcd. Try again.',
      sessionOf: ({ lease }) => lease && { name: leaseName(lease.id), timeoutMs: lease.grantedMs },
      explain: explainEtcdError,
    });
  }

  /** The lease that is open. */
  get lease(): bigint | undefined {
    return this.current?.lease?.id;
  }

  /**
   * What a key is to be bound to. The race: a session has ended, and a request of before is sent while the next one is being opened. There
   * is a client by then, and no lease: a key that is put without one is never taken away, and this client counts as alive.
   */
  leaseFor(subject: ErrorSubject): bigint {
    return this.lease ?? this.refuse(subject);
  }

  /** A call has shown that the lease is gone. */
  lose(client: EtcdClient): void {
    if (this.current === client) this.handleNews({ state: 'lost' }, client);
  }
}
