import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import type { AcquireOptions, Hold, Synchronizers } from '../../src/index.ts';
import type { Protocols } from '../../src/spi/engine/protocols.ts';
import { protocolTraits, type ProtocolTraits } from '../../src/spi/engine/protocol-traits.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { storeEngine } from './store-engine.ts';

type HoldableKind = Exclude<keyof Protocols, 'latch' | 'barrier'>;
type Options = Pick<AcquireOptions, 'leaseMs' | 'timeoutMs'>;
type Enter = (locks: Synchronizers, options?: Options) => Promise<Hold>;

/** How each thing that can be held is acquired. */
const KINDS: readonly (readonly [string, HoldableKind, Enter])[] = [
  ['lock', 'lock', (locks, options) => locks.lock('a').acquire(options)],
  ['fair lock', 'fairLock', (locks, options) => locks.fairLock('a').acquire(options)],
  ['read side', 'readWriteLock', (locks, options) => locks.readWriteLock('a').read.acquire(options)],
  ['write side', 'readWriteLock', (locks, options) => locks.readWriteLock('a').write.acquire(options)],
  ['semaphore', 'semaphore', (locks, options) => locks.semaphore('a', { permits: 1 }).acquire(options)],
  [
    'permit semaphore',
    'permitSemaphore',
    (locks, options) => locks.permitSemaphore('a', { permits: 1 }).acquire(options),
  ],
  ['election', 'election', (locks, options) => locks.election('a').campaign(options)],
  ['monitor', 'monitor', inMonitor],
];

/** A monitor is held only inside its `run`. The section stays there: the caller lets the lease end, or closes. */
function inMonitor(locks: Synchronizers, options?: Options): Promise<Hold> {
  return new Promise((resolve, reject) => {
    const inside = async ({ hold }: { readonly hold: Hold }): Promise<void> => {
      resolve(hold);
      await new Promise(() => undefined);
    };
    locks.monitor('a', { initial: 0 }).run(inside, options).catch(reject);
  });
}

interface Seen {
  readonly locks: Synchronizers;
  /** The requests of one protocol, in order. */
  readonly sent: string[];
  readonly owners: string[];
}

/** An engine whose protocol of this kind has these traits. */
function engineWith(clock: VirtualClock, kind: HoldableKind, differing: Partial<ProtocolTraits>): Seen {
  const sent: string[] = [];
  const owners: string[] = [];
  const locks = storeEngine(clock, new MemoryStore(clock), { renewalLeaseMs: 30_000 }, (protocols) => {
    const near = protocols[kind] as Protocols['lock'];
    const changed: Protocols['lock'] = {
      ...near,
      traits: protocolTraits(differing),
      acquire: (name, ask) => {
        sent.push('acquire');
        owners.push(ask.owner);
        return near.acquire(name, ask);
      },
      release: (name, ask) => {
        sent.push('release');
        return near.release(name, ask);
      },
      watch: (...given) => {
        sent.push('watch');
        return near.watch(...given);
      },
    };
    return { [kind]: changed };
  });
  return { locks, sent, owners };
}

describe.each(KINDS)('the traits of the protocol of a %s', (_what, kind, enter) => {
  test('newOwner makes the id of an acquisition', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      let made = 0;
      const { locks, owners } = engineWith(clock, kind, { newOwner: () => `other-form:${++made}` });
      await enter(locks);
      expect(owners).toStrictEqual(['other-form:1']);
      await locks.close();
    });
  });

  test('isSubscribed lets an acquisition watch before its first attempt', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks, sent } = engineWith(clock, kind, { isSubscribed: (name) => name === 'a' });
      await enter(locks);
      expect(sent).toStrictEqual(['watch', 'acquire']);
      await locks.close();
    });
  });

  test('clientEndsLeases lets the client release what its lease ended', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks, sent } = engineWith(clock, kind, { clientEndsLeases: true });
      await enter(locks, { leaseMs: 1000 });
      await clock.sleep(2000);
      expect(sent).toStrictEqual(['acquire', 'release']);
      await locks.close();
    });
  });

  test('survivesClose leaves a hold with a lease of its own in the store', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks, sent } = engineWith(clock, kind, { survivesClose: true });
      await enter(locks, { leaseMs: 1000 });
      await locks.close();
      expect(sent).toStrictEqual(['acquire']);
    });
  });

  test('decidedAt is where the stopwatch of a grant starts', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { locks } = engineWith(clock, kind, { decidedAt: () => clock.now() - 500 });
      const hold = await enter(locks, { leaseMs: 1000 });
      // The safety margin of such a lease is 30 ms.
      expect(hold.remainingMs).toBe(470);
      await locks.close();
    });
  });
});
