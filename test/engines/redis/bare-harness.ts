import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { Synchronizers } from '../../../src/index.ts';
import type { HarnessClientOptions, Harness } from '../../../src/testing/index.ts';
import { RedisHarness } from './redis-harness.ts';

/** Clients whose `semaphore` is the bare one, so that it meets what a semaphore without owners can meet. */
export class BareHarness extends RedisHarness implements Harness<'semaphore'> {
  override async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    const client = (await super.open(options)) as RedisSynchronizers;
    // The same object: the harness knows the client by it when it is to be killed.
    return Object.assign(client, { semaphore: client.bareSemaphore });
  }
}
