import { describe, expect, test } from 'vitest';
import { LossGuard } from '../../src/cli/commands/run/loss-guard.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

/** A hold that its store proves again every seventh of its time, as a session of ZooKeeper is. */
function guarded(leaseMs: number, sessionMs: number) {
  const clock = new VirtualClock();
  const sent: string[] = [];
  let provenAt = clock.now();
  const hold = {
    lost: new AbortController().signal,
    get remainingMs() {
      return Math.max(0, provenAt + (sessionMs * 5) / 7 - clock.now());
    },
  };
  const guard = new LossGuard({
    hold,
    request: { onLost: 'kill', killAfterMs: Math.min(5_000, leaseMs / 3), leaseMs },
    clock,
    end: (signal) => sent.push(signal),
    tell: () => undefined,
  });
  const prove = async (times: number) => {
    for (let at = 0; at < times; at += 1) {
      await clock.sleep(sessionMs / 7);
      provenAt = clock.now();
    }
  };
  return { clock, sent, guard, prove, hold };
}

describe('the guard of a command', () => {
  test.each([
    [30_000, 30_000],
    [30_000, 10_000],
    [30_000, 4_000],
    [5_000, 4_000],
  ])('with a lease of %i ms leaves it alone while a session of %i ms goes on', async (leaseMs, sessionMs) => {
    const { clock, sent, prove, guard } = guarded(leaseMs, sessionMs);
    await clock.run(() => prove(70));
    expect(sent).toEqual([]);
    guard.end();
  });

  test.each([
    [30_000, 30_000],
    [30_000, 4_000],
  ])('with a lease of %i ms ends it before a session of %i ms is over', async (leaseMs, sessionMs) => {
    const { sent, prove, clock, hold, guard } = guarded(leaseMs, sessionMs);
    await clock.run(async () => {
      await prove(3);
      while (sent.length < 2 && hold.remainingMs > 0) await clock.sleep(10);
    });
    expect([sent, hold.remainingMs > 0]).toEqual([['SIGTERM', 'SIGKILL'], true]);
    guard.end();
  });
});
