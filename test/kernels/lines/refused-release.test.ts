import { expect, test } from 'vitest';
import { EngineError } from '../../../src/index.ts';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

test('a release that the store has refused is asked for again, and the ticket leaves', async () => {
  const fleet = new LineFleet({ latencyMs: 5 });
  await fleet.run(async () => {
    const [one, two] = [fleet.open(), fleet.open()];
    const hold = await one.locks.fairLock('a').acquire();
    const leave = one.link.leave.bind(one.link);
    // As of a user whose role is taken away, and given back.
    one.link.leave = () => {
      one.link.leave = leave;
      const subject = { resource: 'fairLock "a"', engine: 'lines' };
      return Promise.reject(new EngineError('permission denied', subject, { retryable: false }));
    };
    await expect(hold.release()).rejects.toThrow('permission denied');
    // Its session goes on: nothing else takes the ticket away.
    const next = await two.locks.fairLock('a').acquire({ timeoutMs: 60_000 });
    await next.release();
  });
});
