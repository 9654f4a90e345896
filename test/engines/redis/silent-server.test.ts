import { describe, expect, test } from 'vitest';
import type { RedisDriver, Reply } from '../../../src/engines/redis/driver.ts';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { openEngine } from '../../../src/engines/redis/open-engine.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { calledBy } from '../../model/script-sources.ts';

const COMMAND_TIMEOUT_MS = 500;
const COPIES = 2;
const LEASE_MS = 30_000;
const TIME = 'server-time';

/** Answers each script as a server does whose locks are all free, until it falls silent: then it counts what is sent. */
class SilentServer {
  /** What was sent in silence, and when. */
  readonly sent: { readonly script: string; readonly at: number }[] = [];
  readonly driver: RedisDriver;
  isSilent = false;
  readonly #clock: VirtualClock;
  /** Stored by the last change of a cell, so that what was acquired is there. */
  #cell: readonly string[] = ['', ''];

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    const subscriber = {
      subscribe: async () => undefined,
      unsubscribe: async () => undefined,
      close: async () => undefined,
    };
    const driver: Partial<RedisDriver> = {
      client: 'ioredis',
      topology: 'single',
      send: (_key, command) => this.#send(command),
      nodeOf: () => 'node',
      isUp: () => true,
      connectionsMade: 1,
      onReconnect: () => () => undefined,
      onError: () => () => undefined,
      openSubscriber: async () => subscriber,
      close: async () => undefined,
    };
    this.driver = driver as RedisDriver;
  }

  #send(command: readonly string[]): Promise<Reply> {
    const script = calledBy(command);
    if (!this.isSilent)
      return Promise.resolve(script === undefined ? 'OK' : this.#replyTo(script.name, command));
    this.sent.push({ script: script?.name ?? '', at: this.#clock.now() });
    return new Promise(() => undefined);
  }

  #replyTo(name: string, command: readonly string[]): Reply {
    const now = this.#clock.epochNow();
    if (name === TIME) return [now];
    if (name === 'cell-read') return [now, ...this.#cell];
    if (name === 'cell-write') {
      this.#cell = command.slice(5, 7);
      return ['written', now];
    }
    if (name.endsWith('-acquire')) return ['granted', now, LEASE_MS, now * 1000, LEASE_MS];
    return ['', ''];
  }
}

type Verb = (locks: RedisSynchronizers) => Promise<() => PromiseLike<unknown>>;

/** What needs nothing before it. */
const alone =
  (verb: (locks: RedisSynchronizers) => PromiseLike<unknown>): Verb =>
  async (locks) =>
  () =>
    verb(locks);

const name = 'a';
const permits = { permits: 2 };

/** Verbs that change nothing, and those of cells, which read before they write: of both only reads are sent in silence. */
const SENDS_ONLY_READS = /^(barrier|election|monitor) | (holder|isLocked|available|count)$/;

/** Each is prepared while the server answers, and asked for when it does not. */
const verbs: Readonly<Record<string, Verb>> = {
  'lock acquire': alone((locks) => locks.lock(name).acquire()),
  'lock tryAcquire': alone((locks) => locks.lock(name).tryAcquire()),
  'lock holder': alone((locks) => locks.lock(name).holder()),
  'lock forceRelease': alone((locks) => locks.lock(name).forceRelease()),
  'lock release': async (locks) => {
    const hold = await locks.lock(name).acquire();
    return () => hold.release();
  },
  'lock extend': async (locks) => {
    const hold = await locks.lock(name).acquire();
    return () => hold.extend(2 * LEASE_MS);
  },
  'fairLock acquire': alone((locks) => locks.fairLock(name).acquire()),
  'fairLock isLocked': alone((locks) => locks.fairLock(name).isLocked()),
  'fairLock release': async (locks) => {
    const hold = await locks.fairLock(name).acquire();
    return () => hold.release();
  },
  'readWriteLock read acquire': alone((locks) => locks.readWriteLock(name).read.acquire()),
  'readWriteLock write acquire': alone((locks) => locks.readWriteLock(name).write.acquire()),
  'readWriteLock write isLocked': alone((locks) => locks.readWriteLock(name).write.isLocked()),
  'readWriteLock read release': async (locks) => {
    const hold = await locks.readWriteLock(name).read.acquire();
    return () => hold.release();
  },
  'semaphore acquire': alone((locks) => locks.semaphore(name, permits).acquire()),
  'semaphore available': alone((locks) => locks.semaphore(name, permits).available()),
  'permitSemaphore acquire': alone((locks) => locks.permitSemaphore(name, permits).acquire()),
  'permitSemaphore release': alone((locks) => locks.permitSemaphore(name, permits).release('0'.repeat(32))),
  'bareSemaphore acquire': alone((locks) => locks.bareSemaphore(name, permits).acquire()),
  'bareSemaphore available': alone((locks) => locks.bareSemaphore(name, permits).available()),
  'latch count': alone((locks) => locks.latch(name).count()),
  'latch countDown': alone((locks) => locks.latch(name).countDown()),
  'latch trySetCount': alone((locks) => locks.latch(name).trySetCount(3)),
  'latch reset': alone((locks) => locks.latch(name).reset(3)),
  'barrier arrive': alone((locks) => locks.barrier(name, { parties: 2 }).arrive()),
  'barrier waiting': alone((locks) => locks.barrier(name, { parties: 2 }).waiting()),
  'election campaign': alone((locks) => locks.election(name).campaign()),
  'election leader': alone((locks) => locks.election(name).leader()),
  'election proclaim': async (locks) => {
    const office = await locks.election(name).campaign({ value: 'first' });
    return () => office.proclaim('second');
  },
  'election resign': async (locks) => {
    const office = await locks.election(name).campaign();
    return () => office.resign();
  },
  'monitor run': alone((locks) => locks.monitor(name, { initial: 0 }).run(() => undefined)),
  'monitor peek': alone((locks) => locks.monitor(name, { initial: 0 }).peek()),
};

/** The ways to something that one owner has at a time, with one permit where permits count. */
const exclusives: Readonly<Record<string, (locks: RedisSynchronizers) => Exclusive>> = {
  lock: (locks) => locks.lock(name),
  fairLock: (locks) => locks.fairLock(name),
  write: (locks) => locks.readWriteLock(name).write,
  semaphore: (locks) => locks.semaphore(name, { permits: 1 }),
  permitSemaphore: (locks) => locks.permitSemaphore(name, { permits: 1 }),
  bareSemaphore: (locks) => locks.bareSemaphore(name, { permits: 1 }),
};

interface Exclusive {
  acquire(): Promise<unknown>;
  tryAcquire(): Promise<unknown>;
}

describe('a single attempt behind an acquisition without a limit', () => {
  test.each(Object.entries(exclusives))(
    '%s: ends in an outage within two time-outs of a command',
    async (_title, open) => {
      const clock = new VirtualClock();
      await clock.run(async () => {
        const server = new SilentServer(clock);
        const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
        const locks = openEngine(server.driver, { commandTimeoutMs: COMMAND_TIMEOUT_MS }, { clock, random });
        await locks.latch('warm').countDown();
        server.isSilent = true;
        const thing = open(locks);
        const timed = async (call: Promise<unknown>, since = clock.now()) => {
          const error: unknown = await call.catch((each: unknown) => each);
          return { error, elapsedMs: clock.now() - since };
        };
        const heading = timed(thing.acquire());
        const first = timed(thing.tryAcquire());
        await clock.sleep(COMMAND_TIMEOUT_MS / 2);
        const later = timed(thing.tryAcquire());
        for (const { error, elapsedMs } of await Promise.all([first, later])) {
          const message = expect.stringContaining('did not answer');
          expect(error).toMatchObject({ code: 'ENGINE', retryable: true, message });
          expect(elapsedMs).toBeLessThanOrEqual(COPIES * COMMAND_TIMEOUT_MS);
        }
        await heading;
        await locks.close();
      });
    },
  );
});

describe('a server that takes every command and answers none', () => {
  test.each(Object.entries(verbs))(
    '%s: each request is sent twice, and its caller told in the same words',
    async (title, verb) => {
      const clock = new VirtualClock();
      await clock.run(async () => {
        const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
        const server = new SilentServer(clock);
        // What it says about itself goes out besides, and is repeated by no request.
        const settings = { commandTimeoutMs: COMMAND_TIMEOUT_MS, announce: false };
        const locks = openEngine(server.driver, settings, { clock, random });
        // What is known of the server's clock, for scripts and for cells.
        await locks.latch('warm').countDown();
        await locks.barrier('warm', { parties: 1 }).arrive();
        const ask = await verb(locks);
        server.isSilent = true;
        const since = clock.now();
        const error: unknown = await ask().then(
          () => undefined,
          (each: unknown) => each,
        );
        const kind = title.split(' ')[0]!;
        const outcome = SENDS_ONLY_READS.test(title)
          ? 'nothing was done'
          : 'whether it happened is not known';
        const words = `^${kind} "${name}": redis did not answer within ${COPIES * COMMAND_TIMEOUT_MS} ms; ${outcome}\\. Check that the store can be reached, then try again\\.$`;
        expect(error).toMatchObject({
          code: 'ENGINE',
          retryable: true,
          message: expect.stringMatching(new RegExp(words)),
        });
        const toldAt = clock.now();
        expect(toldAt - since).toBe(COPIES * COMMAND_TIMEOUT_MS);
        // What is sent from then on takes back what may have come of it.
        const copies = server.sent.filter(({ at }) => at < toldAt).map(({ script }) => script);
        expect(copies).toEqual([copies[0], copies[0]]);
        await locks.close();
      });
    },
  );
});
