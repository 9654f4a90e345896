import { expect, test } from 'vitest';
import { EvictionCheck } from '../../../src/engines/redis/diagnostics/eviction-check.ts';
import type { RedisDriver } from '../../../src/engines/redis/driver.ts';
import { newClient } from '../../core/new-client.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

/** A driver of which only the question for its servers is asked. */
function counting(): { readonly driver: RedisDriver; asked: number } {
  const counted = {
    asked: 0,
    driver: {
      findMasters: async () => {
        counted.asked++;
        return [];
      },
    } as unknown as RedisDriver,
  };
  return counted;
}

test('asks after the first acquisition and release, and never for a client that closes before', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const [longer, shorter] = [newClient(clock), newClient(clock)];
    const [ofLonger, ofShorter] = [counting(), counting()];
    new EvictionCheck(longer, ofLonger.driver).schedule();
    new EvictionCheck(shorter, ofShorter.driver).schedule();
    await clock.sleep(50);
    expect(ofLonger.asked).toBe(0);
    await shorter.close();
    new EvictionCheck(shorter, ofShorter.driver).schedule();
    await clock.sleep(5000);

    expect(ofLonger.asked).toBe(1);
    expect(ofShorter.asked).toBe(0);
    await longer.close();
  });
  expect(clock.pending, 'a timer is left').toBe(0);
});
