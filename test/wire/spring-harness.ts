import type { RedisSynchronizers, SpringLockOptions } from '../../src/engines/redis/index.ts';
import type { Synchronizers } from '../../src/index.ts';
import type { HarnessClientOptions, Harness } from '../../src/testing/index.ts';
import { RedisHarness } from '../engines/redis/redis-harness.ts';

/** Longer than usual: a waiter asks ten times a second, and that takes time from all the others. */
const UNIT_MS = 900;

/** Clients whose `lock(name)` is a lock of one Spring registry, so that it meets what every lock has to meet. */
export class SpringHarness extends RedisHarness implements Harness<'lock'> {
  readonly withoutMinHold = 'Spring ends the locks of its registry by scripts of its own';
  readonly #type: SpringLockOptions['type'];

  constructor(connect: ConstructorParameters<typeof RedisHarness>[0], type: SpringLockOptions['type']) {
    super(connect, {}, UNIT_MS);
    this.#type = type;
  }

  override async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    const client = (await super.open(options)) as RedisSynchronizers;
    const { renewalLeaseMs } = options;
    const set = { type: this.#type, ...(renewalLeaseMs !== undefined && { renewalLeaseMs }) };
    // The same object: it is what the harness knows the client by when it is to be killed.
    return Object.assign(client, { lock: (name: string) => client.springLock('suite', name, set) });
  }
}
