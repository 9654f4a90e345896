import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import { LeaseLostError, multiLock, quorumLock } from '../../src/index.ts';
import { play, type Stage } from './stage.ts';

const LEASE_MS = 1_000;

interface Lossy {
  readonly lost: AbortSignal;
  readonly remainingMs: number;
  throwIfLost(): void;
}

const members = (stage: Stage) =>
  [0, 1, 2].map((at) => stage.near(`member-${at}`, { store: new MemoryStore(stage.clock) }).lock('x'));

const acquired: Readonly<Record<string, (stage: Stage) => Promise<Lossy>>> = {
  lock: (stage) => stage.near('a').lock('x').acquire({ leaseMs: LEASE_MS }),
  'renewed lock': (stage) => stage.near('a', { renewalLeaseMs: LEASE_MS }).lock('x').acquire(),
  'multi-lock': (stage) => {
    const client = stage.near('a');
    return multiLock([client.lock('x'), client.lock('y')]).acquire({ leaseMs: LEASE_MS });
  },
  'quorum lock': (stage) => quorumLock(members(stage)).acquire({ leaseMs: LEASE_MS }),
  leadership: (stage) => stage.near('a').election('x').campaign({ leaseMs: LEASE_MS }),
};

/** Reads the clock, and so finds the loss, before the signal is listened to. */
const touches: Readonly<Record<string, (hold: Lossy) => unknown>> = {
  'the signal': (hold) => hold.lost,
  'the time that remains': (hold) => hold.remainingMs,
  'the error': (hold) => {
    try {
      hold.throwIfLost();
    } catch (error) {
      return error;
    }
    return undefined;
  },
};

// A holder asks whether the hold is lost, and listens if it is not. The process is stopped between the two for longer than the
// lease: the second look at the hold finds the loss, and the signal aborts before the listener is there.
describe.each(Object.keys(acquired))('a process that is stopped before it listens to its %s', (what) => {
  test.each(Object.keys(touches))('hears of the loss that reading %s finds', async (touched) => {
    await play(async (stage) => {
      const hold = await acquired[what]!(stage);
      const told: unknown[] = [];
      expect(hold.lost.aborted).toBe(false);
      stage.clock.stall(2 * LEASE_MS);
      touches[touched]!(hold);
      hold.lost.addEventListener('abort', () => told.push(hold.lost.reason));
      expect(hold.lost.aborted, 'without waiting').toBe(true);
      await stage.clock.sleep(LEASE_MS);
      expect(told).toStrictEqual([hold.lost.reason]);
      expect(told[0]).toBeInstanceOf(LeaseLostError);
    });
  });

  test('hears of the loss that its first look at the signal finds', async () => {
    await play(async (stage) => {
      const hold = await acquired[what]!(stage);
      stage.clock.stall(2 * LEASE_MS);
      let told = 0;
      hold.lost.addEventListener('abort', () => (told += 1));
      await stage.clock.sleep(LEASE_MS);
      expect(told).toBe(1);
    });
  });
});

test('a process that is stopped while it leads hears of the loss by the signal of its turn', async () => {
  await play(async (stage) => {
    const stop = new AbortController();
    const told: unknown[] = [];
    const client = stage.near('a', { renewalLeaseMs: LEASE_MS });
    await client.election('x').lead(
      async (signal, leadership) => {
        expect(signal.aborted).toBe(false);
        stage.clock.stall(2 * LEASE_MS);
        void leadership.fence;
        signal.addEventListener('abort', () => told.push(signal.reason));
        await stage.clock.sleep(1);
        stop.abort();
      },
      { signal: stop.signal },
    );
    expect(told.map((reason) => reason instanceof LeaseLostError)).toStrictEqual([true]);
  });
});
