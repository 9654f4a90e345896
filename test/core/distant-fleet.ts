import { MemoryStore } from '../../src/engines/memory/index.ts';
import type { FencedLock, Synchronizers } from '../../src/index.ts';
import { protocolTraits } from '../../src/spi/engine/protocol-traits.ts';
import type { Protocols } from '../../src/spi/engine/protocols.ts';
import type { VirtualClock } from '../fixtures/virtual-clock.ts';
import { storeEngine } from './store-engine.ts';

export const LEASE_MS = 30_000;

type FairLock = Protocols['fairLock'];

/** Several clients of one store, to which the way takes a while, and what they send there. */
export class DistantFleet implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly sent: string[] = [];
  /** Instead of an answer to the next acquisition, the next release and the next renewal. */
  acquireError: Error | undefined;
  releaseError: Error | undefined;
  renewalError: Error | undefined;
  /** How long the way to the store takes, and as long back. */
  latencyMs = 1;
  readonly #store: MemoryStore;
  readonly #engines: { close(): Promise<void> }[] = [];

  constructor(clock: VirtualClock) {
    this.clock = clock;
    this.#store = new MemoryStore(clock);
  }

  /** The lock as one process has it. */
  lock(more: { readonly maxHoldMs?: number } = {}): FencedLock & { readonly locks: Synchronizers } {
    const options = { label: `client-${this.#engines.length}`, renewalLeaseMs: LEASE_MS, ...more };
    const engine = storeEngine(this.clock, this.#store, options, ({ fairLock }) => ({
      fairLock: this.#distant(fairLock),
    }));
    this.#engines.push(engine);
    return Object.assign(engine.fairLock('a'), { locks: engine });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.close()));
  }

  #distant(near: FairLock): FairLock {
    return {
      ...near,
      traits: protocolTraits({ batchesWaiters: true, isSubscribed: () => true }),
      acquire: async (name, ask) => {
        this.sent.push(`acquire ${ask.fences}`);
        const { acquireError } = this;
        this.acquireError = undefined;
        if (acquireError !== undefined) throw acquireError;
        return this.#there(() => near.acquire(name, ask));
      },
      release: async (name, ask) => {
        this.sent.push('release');
        const { releaseError } = this;
        this.releaseError = undefined;
        if (releaseError === undefined) return this.#there(() => near.release(name, ask));
        await this.#there(() => undefined);
        throw releaseError;
      },
      renewMany: async (renewals) => {
        this.sent.push('renew');
        const { renewalError: error } = this;
        if (error === undefined) return this.#there(() => near.renewMany(renewals));
        this.renewalError = undefined;
        return this.#there(() => renewals.map(() => ({ kind: 'failed', error })));
      },
    };
  }

  async #there<T>(step: () => T): Promise<Awaited<T>> {
    await this.clock.sleep(this.latencyMs);
    const answer = await step();
    await this.clock.sleep(this.latencyMs);
    return answer;
  }
}
