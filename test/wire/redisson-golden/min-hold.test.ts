import { expect, test } from 'vitest';
import { fairLockForm } from '../../../src/engines/redis/locks/fair-lock-form.ts';
import { lockProtocol } from '../../../src/engines/redis/locks/lock-protocol.ts';
import { plainLockForm } from '../../../src/engines/redis/locks/plain-lock-form.ts';
import type { Granted } from '../../../src/spi/verbs/holding.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { asking, expectAround, type GoldenStage, goldenStage } from './golden-stage.ts';
import { A, B } from './owners.ts';

const lasting = { fences: 1, minHoldMs: 60_000 };
const forms = {
  lock: ({ parts }: GoldenStage) => lockProtocol(parts, plainLockForm(parts)),
  fairLock: ({ parts }: GoldenStage) => lockProtocol(parts, fairLockForm(parts)),
};

describeRedis.each(Object.entries(forms))(
  'a %s that is to last, in the layout of Redisson',
  (_kind, open) => {
    const golden = goldenStage();

    test('has the time of its lease or its own, whichever is longer', async () => {
      const { stage, name } = await golden();
      const granted = await open(stage).acquire(name, asking(A, 30_000, lasting));
      expect(granted).toMatchObject({ kind: 'granted', remainingMs: 60_000 });
      await expect(stage.hash(name)).resolves.toEqual({ [A]: '1' });
      expectAround(await stage.ttl(name), 60_000);
    });

    test('is kept after its release by an owner that no request renews, releases or acquires for', async () => {
      const { stage, name } = await golden();
      const lock = open(stage);
      const { fence } = (await lock.acquire(name, asking(A, 90_000, lasting))) as Granted;
      const minHold = { ms: 60_000, fence };
      await expect(lock.release(name, { owner: A, minHold })).resolves.toMatchObject({ kind: 'released' });
      await expect(stage.hash(name)).resolves.toEqual({ [`${A}+kept`]: '1' });
      expectAround(await stage.ttl(name), 60_000);
      await expect(lock.renew(name, { owner: A, leaseMs: 90_000 })).resolves.toEqual({ kind: 'gone' });
      await expect(lock.release(name, { owner: A, minHold })).resolves.toEqual({ kind: 'not-held' });
      await expect(lock.acquire(name, { ...asking(B, 30_000, lasting), wait: false })).resolves.toMatchObject(
        {
          kind: 'busy',
        },
      );
      expectAround(await stage.ttl(name), 60_000);
      await expect(lock.look(name)).resolves.toMatchObject({ holder: { owner: `${A}+kept`, fence } });
      await expect(lock.force(name, { fence })).resolves.toMatchObject({ kind: 'forced' });
      await expect(stage.hash(name)).resolves.toEqual({});
    });

    test('is free after a release when its time is over', async () => {
      const { stage, name } = await golden();
      const lock = open(stage);
      const { fence } = (await lock.acquire(name, asking(A, 90_000, lasting))) as Granted;
      // Granted a minute and a second before.
      const minHold = { ms: 60_000, fence: fence - 61_000_000 };
      await expect(lock.release(name, { owner: A, minHold })).resolves.toMatchObject({ kind: 'released' });
      await expect(stage.hash(name)).resolves.toEqual({});
    });

    test('lasts no longer than that after its release, where its fence was ahead of the clock', async () => {
      const { stage, name } = await golden();
      const lock = open(stage);
      const { fence } = (await lock.acquire(name, asking(A, 90_000, lasting))) as Granted;
      await lock.release(name, { owner: A, minHold: { ms: 60_000, fence: fence + 3_600_000_000 } });
      expect(await stage.ttl(name)).toBeLessThanOrEqual(60_000);
    });
  },
);

describeRedis('a fair lock that is to last', () => {
  const golden = goldenStage();

  test('is not handed off by its release, and sends the first in line a message to ask', async () => {
    const { stage, name } = await golden();
    const lock = forms.fairLock(stage);
    const { fence } = (await lock.acquire(name, asking(A, 90_000, lasting))) as Granted;
    const waiting = { ...asking(B, 30_000, { fences: 1 }), wait: true };
    await lock.acquire(name, { ...waiting, handOff: true });
    await stage.heard();
    await lock.release(name, { owner: A, minHold: { ms: 60_000, fence } });
    await expect(stage.heard()).resolves.toEqual([[`redisson_lock__channel:{${name}}:${B}`, '0']]);
    const again = await lock.acquire(name, { ...waiting, interestMs: 600_000 });
    expect(again.kind).toBe('busy');
    expectAround((again as { againInMs: number }).againInMs, 60_000);
    await lock.release(name, { owner: B });
  });
});
