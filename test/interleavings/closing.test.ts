import { expect, test } from 'vitest';
import { LeaseLostError, type Synchronizers } from '../../src/index.ts';
import { assemble } from '../../src/kernels/assemble.ts';
import { openContext } from '../../src/kernels/context.ts';
import { cellProtocols } from '../../src/kernels/cells/cell-protocols.ts';
import { SeededRandom } from '../engines/seeded-random.ts';
import { hookedTraits } from '../fixtures/hooked-wire.ts';
import { ending, passMicrotasks, play, sweep, warmUp } from './stage.ts';

const ONE = { permits: 1 };

async function assertFree(observer: Synchronizers): Promise<void> {
  expect(await observer.permitSemaphore('p', ONE).available()).toBe(1);
}

// A hold is lost and a permit is to be renewed in the same turn, because the process stood still. The listener of the
// loss closes the client, while the permit is out of the timer queue and on its way to the store.
test('closing out of a loss releases what is to be renewed in the same turn', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    await client.permitSemaphore('p', ONE).acquire();
    // Its deadline is at 10 s, where the permit's renewal is.
    const hold = await client.lock('x').acquire({ leaseMs: 10_020 / 0.99 });
    let closing: Promise<void> | undefined;
    hold.lost.addEventListener('abort', () => {
      closing = client.close();
    });
    await stage.clock.sleep(9000);
    stage.clock.stall(3000);
    await stage.clock.sleep(10);
    expect(closing).toBeTruthy();
    await closing;
    await assertFree(stage.near('b'));
  });
});

// A permit with a lease of an hour is asked for, and the client is closed before the store has the question. With
// nothing held, and with something held, closing waits until what was asked for is withdrawn.
test.each([false, true])(
  'closing takes back an acquisition that is under way (something held: %s)',
  async (held) => {
    await play(async (stage) => {
      const client = stage.far('a', { latencyMs: 20 });
      await warmUp(client);
      if (held) await client.lock('other').acquire();
      const acquiring = ending(client.permitSemaphore('p', ONE).acquire({ leaseMs: 3_600_000 }));
      await stage.clock.sleep(5);
      await client.close();
      expect(await acquiring).toBe('CLOSED');
      expect(stage.clock.pending).toBe(0);
      await assertFree(stage.far('b'));
    });
  },
);

// The answer to an acquisition arrives; so many microtasks later the client is closed. The caller is refused, or gets a
// hold that is over; whichever it is, nothing is held when closing is done.
test('closing at any instant of an acquisition leaves nothing held', async () => {
  await sweep(40, async (stage, microtasks) => {
    let closing: Promise<void> | undefined;
    const client = stage.far('a', {
      arrived: ({ kind }) => {
        if (kind === 'permitSemaphore') closing ??= passMicrotasks(microtasks).then(() => client.close());
      },
    });
    await warmUp(client);
    const ended = await ending(client.permitSemaphore('p', ONE).acquire());
    await closing;
    expect(['CLOSED', 0]).toContain(typeof ended === 'string' ? ended : ended.remainingMs);
    expect(stage.clock.pending).toBe(0);
    expect(stage.store.takeCensus().sessions).toBe(0);
    await assertFree(stage.far('b'));
  });
});

// Another client holds. An acquisition is on its way to the store, and the client closes before the answer comes: "busy". The
// wait that begins with the answer begins in a closed client, which has rung its sleepers already.
test.each(['lock', 'fairLock'] as const)(
  'closing does not wait for the next look of a wait that begins after it (%s)',
  async (kind) => {
    await play(async (stage) => {
      const [client, rival] = [stage.far('a'), stage.far('b')];
      await warmUp(client);
      await rival[kind]('x').acquire();
      const ended = ending(client[kind]('x').acquire());
      await stage.clock.sleep(1);
      const since = stage.clock.now();
      await client.close();
      expect(stage.clock.now() - since < 1000, `closing took ${stage.clock.now() - since} ms`).toBeTruthy();
      expect(await ended).toBe('CLOSED');
    });
  },
);

// A client closes while an acquisition is under way. The hold that closing ends says so before `close` has returned, and its
// listener closes the client again.
test('a listener that closes the client while it closes waits for the same end', async () => {
  await play(async (stage) => {
    // The hold is given back long before the acquisition is answered.
    const client = stage.far('a', { back: ({ kind }) => (kind === 'permitSemaphore' ? 500 : undefined) });
    await warmUp(client);
    const hold = await client.lock('held').acquire();
    let again: Promise<void> | undefined;
    hold.lost.addEventListener('abort', () => {
      again = client.close();
    });
    const acquiring = ending(client.permitSemaphore('p', ONE).acquire());
    await stage.clock.sleep(5);
    const closing = client.close();
    expect(again).toBeTruthy();
    await Promise.all([closing, again]);
    expect(await acquiring).toBe('CLOSED');
  });
});

// A branch of a run waits for another one that is inside. Closing gives the lock back: the branch must not enter any more.
test('closing ends a branch that waits for another branch of its run', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const lock = client.lock('x');
    let entered = false;
    let waiting: Promise<unknown> | undefined;
    const running = ending(
      lock.run(async () => {
        const inside = lock.run(() => stage.clock.sleep(1000));
        waiting = ending(
          lock.run(() => {
            entered = true;
          }),
        );
        await Promise.allSettled([inside, waiting]);
      }),
    );
    await stage.clock.sleep(10);
    await client.close();
    expect(await waiting).toBe('CLOSED');
    await running;
    expect(entered).toBe(false);
  });
});

// The store goes away under a client that holds something. To sleep in a closed client takes no time: if it went on trying to
// give back what it held, it would do nothing else until the lease is over.
test('a client that closes without its store tries once to release what it holds', async () => {
  await play(async (stage) => {
    let away = false;
    let tries = 0;
    const client = stage.far('a', {
      out: () => {
        if (!away) return undefined;
        // A loop without end would stop the test as well.
        return ++tries > 50 ? 'lost' : 'broken';
      },
    });
    await client.lock('x').acquire();
    away = true;
    await client.close();
    expect(tries >= 1 && tries <= 3, `${tries} tries`).toBeTruthy();
  });
});

// Two wait in the local line. The lock is handed to the first, who hands it to the second and closes in the same turn.
test('a lock that is handed over and closed in one turn has no holder', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const lock = client.lock('x');
    const hold = await lock.acquire();
    const [first, second] = [lock.acquire(), ending(lock.acquire())];
    await hold.release();
    void (await first).release();
    void client.close();
    expect(await second).toBe('CLOSED');
  });
});

// The same with one who waits: the grant was never handed over before.
test('a lock that is released and closed in one turn has no holder', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const lock = client.lock('x');
    const hold = await lock.acquire();
    const waiting = ending(lock.acquire());
    void hold.release();
    void client.close();
    expect(await waiting).toBe('CLOSED');
  });
});

// A hold is extended, and its client is closed while the question is on the way.
test('an extension during which the client closes is refused, and hold.lost fires', async () => {
  await play(async (stage) => {
    const client = stage.far('a', { latencyMs: 20 });
    const hold = await client.lock('x').acquire();
    const { lost } = hold;
    const extending = ending(hold.extend(60_000));
    await client.close();
    expect(await extending).toBe('NOT_HELD');
    expect(lost.reason instanceof LeaseLostError).toBeTruthy();
    expect(lost.reason.reason).toBe('closed');
  });
});

// A release takes 10 ms. Two parts of a program close the same client at once; the second finds it closed already.
test('of two closes at once neither ends the connection before everything is given back', async () => {
  await play(async (stage) => {
    const { store, clock } = stage;
    const told: string[] = [];
    const context = openContext({
      engine: 'slow',
      options: {},
      clock,
      random: new SeededRandom('a'),
      sessions: { store, ttlMs: Infinity },
    });
    const protocols = cellProtocols((kind, rule) => store.cells(kind, rule));
    const release: typeof protocols.lock.release = async (name, ask) => {
      await clock.sleep(10);
      told.push('released');
      return protocols.lock.release(name, ask);
    };
    const client = stage.opened(
      assemble(context, {
        traits: hookedTraits,
        protocols: { ...protocols, lock: { ...protocols.lock, release } },
        whenClosed: () => void told.push('connection ended'),
      }),
    );
    await client.lock('x').acquire();
    await Promise.all([client.close(), client.close()]);
    expect(told).toStrictEqual(['released', 'connection ended']);
  });
});
