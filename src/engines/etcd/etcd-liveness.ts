import type { Liveness, LivenessNews } from '../../spi/engine/liveness.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { EtcdClient } from './client/session/etcd-client.ts';
import type { GrantedLease, LeaseStatus } from './client/session/lease-status.ts';
import { explainEtcdError } from './explain-etcd-error.ts';
import { leaseName } from './layout/ticket-keys.ts';

export interface EtcdLivenessPlan {
  /** A client is one lease: another lease needs another client. */
  readonly connect: () => EtcdClient;
  readonly subject: ErrorSubject;
  /** Called with each new lease. */
  readonly onGranted: (granted: GrantedLease) => void;
}

/** The session of one engine object: a lease of etcd, and the next one when it has ended. */
export class EtcdLiveness implements Liveness {
  readonly #plan: EtcdLivenessPlan;
  #heard: (news: LivenessNews) => void = () => undefined;
  #client: EtcdClient | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(plan: EtcdLivenessPlan) {
    this.#plan = plan;
  }

  follow(heard: (news: LivenessNews) => void): void {
    this.#heard = heard;
  }

  /** The client of the session that is open. */
  client(subject: ErrorSubject): EtcdClient {
    if (this.#client !== undefined) return this.#client;
    throw noSession(subject);
  }

  /**
   * What a key is to be bound to. The race: a session has ended, and a request of before is sent while the next one is being opened. There
   * is a client by then, and no lease: a key that is put without one is never taken away, and this client counts as alive.
   */
  leaseFor(subject: ErrorSubject): bigint {
    const { lease } = this;
    if (lease === undefined) throw noSession(subject);
    return lease;
  }

  /** The lease that is open. */
  get lease(): bigint | undefined {
    return this.#client?.lease?.id;
  }

  /** Its name, as keys have it. */
  get session(): string | undefined {
    const { lease } = this;
    return lease === undefined ? undefined : leaseName(lease);
  }

  open(): MaybeAsync<void> {
    return (this.#opening ??= this.#open());
  }

  /** A call has shown that the lease is gone. */
  lose(client: EtcdClient): void {
    if (this.#client === client) this.#handleStatus(client, { state: 'lost' });
  }

  abandon(): void {
    void this.#drop()?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop()?.close();
  }

  async #open(): Promise<void> {
    const client = this.#plan.connect();
    this.#client = client;
    client.onStatus((status) => {
      if (this.#client === client) this.#handleStatus(client, status);
    });
    try {
      const granted = await client.ready();
      if (this.#client === client) this.#plan.onGranted(granted);
    } catch (error) {
      if (this.#client === client) this.#drop();
      void client.close();
      throw explainEtcdError(error, this.#plan.subject);
    }
  }

  #drop(): EtcdClient | undefined {
    const client = this.#client;
    this.#client = undefined;
    this.#opening = undefined;
    return client;
  }

  #handleStatus(client: EtcdClient, status: LeaseStatus): void {
    if (status.state === 'lost') {
      this.#drop();
      void client.close();
      if (!this.#isClosed) this.#heard({ kind: 'lost' });
    } else if (status.state === 'suspended') {
      this.#heard({ kind: 'suspended', error: status.cause });
    } else {
      const { id, grantedMs: timeoutMs } = client.lease!;
      this.#heard({ kind: 'connected', session: leaseName(id), sentAt: status.provenAt, timeoutMs });
    }
  }
}

function noSession(subject: ErrorSubject): EngineError {
  const message = `${subject.resource}: there is no session with etcd. Try again.`;
  return new EngineError(message, subject, { retryable: true });
}
