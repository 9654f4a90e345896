import { describe, expect, test } from 'vitest';
import { assemble } from '../../src/kernels/assemble.ts';
import { openContext } from '../../src/kernels/context.ts';
import type { SessionStore } from '../../src/spi/engine/cells.ts';
import { cellProtocols } from '../../src/kernels/cells/cell-protocols.ts';
import { SeededRandom } from '../engines/seeded-random.ts';
import { type Fate, hookedTraits } from '../fixtures/hooked-wire.ts';
import { play, type Stage, warmUp } from './stage.ts';

/** A client that has a session, and then sleeps until so long before the session's deadline (after it, if negative). */
async function nearlySilent(
  stage: Stage,
  beatOut: (old: boolean, leftMs: number) => Fate,
  hooks: { readonly beatBack?: (old: boolean) => Fate; readonly acquireBack?: () => Fate } = {},
) {
  let old = '';
  let deadline = Infinity;
  const client = stage.far('a', {
    beatOut: (id) => (old === '' ? 1 : beatOut(id === old, deadline - stage.clock.now())),
    beatBack: (id) => hooks.beatBack?.(id === old) ?? 1,
    back: ({ name, verb }) => (name === 'x' && verb === 'acquire' ? (hooks.acquireBack?.() ?? 1) : 1),
  });
  await warmUp(client);
  old = client.core.ids.client;
  deadline = client.core.sessionDeadline;
  return { client, untilLeft: (ms: number) => stage.clock.sleep(deadline - stage.clock.now() - ms) };
}

describe('an answer that comes after the session has ended is no grant of the next one', () => {
  // The client's beats no longer arrive. 100 ms before the end of its session it asks for a lock; the store grants it,
  // and the answer takes 300 ms. Meanwhile the session ends, and another acquisition opens the next one. The store
  // gives the lock away with the ended session: the client that believes in it must have got it under the new one.
  const waysToFail: [string, (old: boolean, leftMs: number) => Fate][] = [
    ['fail', (old) => (old ? 'broken' : 1)],
    ['get lost', (_old, leftMs) => (leftMs > 100 ? 'lost' : 1)],
  ];
  test.each(waysToFail)('beats %s', async (_how, beatOut) => {
    await play(async (stage) => {
      let slow = true;
      const { client, untilLeft } = await nearlySilent(stage, beatOut, {
        acquireBack: () => (slow ? 300 : 1),
      });
      const other = stage.far('b');
      await untilLeft(100);
      const acquiring = client.lock('x').acquire({ leaseMs: 300_000 });
      await stage.clock.sleep(150);
      await warmUp(client);
      slow = false;
      const hold = await acquiring;
      await stage.clock.sleep(1000);
      expect.assert(hold.remainingMs > 0);
      expect((await other.lock('x').holder())?.fence).toBe(hold.fence);
      await stage.clock.sleep(60_000);
      expect(await other.lock('x').tryAcquire(), 'two holders').toBe(null);
    });
  });
});

// The last beat of a session is lost on the way, and the session ends while it is still waited for. An acquisition then
// needs a new session at once.
test('a beat of the ended session that is under way does not hold up the next session', async () => {
  await play(async (stage) => {
    const { client, untilLeft } = await nearlySilent(stage, (old, leftMs) => {
      if (!old) return 1;
      return leftMs < 1500 ? 'lost' : 'broken';
    });
    await untilLeft(-10);
    const since = stage.clock.now();
    await client.lock('x').acquire();
    expect.assert(stage.clock.now() - since < 100);
  });
});

// The last beat of a session arrives, and its "alive" is on the way back for so long that the session has ended here.
// It tells nothing about the identity that the client has taken since.
test('a late "alive" for the ended session does not open the next one', async () => {
  await play(async (stage) => {
    const { client, untilLeft } = await nearlySilent(
      stage,
      (old, leftMs) => (old && leftMs >= 1500 ? 'broken' : 1),
      { beatBack: (old) => (old ? 1800 : 1) },
    );
    await untilLeft(-10);
    const since = stage.clock.now();
    const hold = await client.lock('x').tryAcquire();
    expect.assert(hold);
    expect.assert(stage.clock.now() - since < 100);
    await stage.clock.sleep(40_000);
    expect.assert(hold.remainingMs > 0);
  });
});

// The store ends the session, and the client does not know. Its single attempt is answered "your session has ended".
test('a single attempt that finds the session ended is made again under the next one', async () => {
  await play(async (stage) => {
    const client = stage.far('a');
    await warmUp(client);
    stage.store.end(client.core.ids.client);
    expect.assert(await client.lock('x').tryAcquire());
  });
});

// The store of sessions is a plain call that throws, as a file that is locked by another client does. From then on every
// beat fails, first out of a timer.
test('a store of sessions that throws at once fails beats, and nothing else', async () => {
  await play(async (stage) => {
    const { store, clock } = stage;
    let failing = false;
    const sessions: SessionStore = {
      beat: (id, ttlMs) => {
        if (failing) throw new Error('SQLITE_BUSY');
        return store.beat(id, ttlMs);
      },
      end: (id) => store.end(id),
    };
    const context = openContext({
      engine: 'throwing',
      options: {},
      clock,
      random: new SeededRandom('a'),
      sessions: { store: sessions, ttlMs: 30_000 },
    });
    void context.session.open();
    const protocols = cellProtocols((kind, rule) => store.cells(kind, rule));
    const client = stage.opened(assemble(context, { traits: hookedTraits, protocols }));
    const hold = await client.lock('x').acquire();
    failing = true;
    await clock.sleep(20_000);
    expect(hold.lost.aborted, 'the session is still good').toBe(false);
    await clock.sleep(20_000);
    expect(hold.lost.aborted, 'the session could have ended').toBe(true);
  });
});

// A beat is on its way back when the session is found to have ended, and the client takes a new identity. "Alive" is then said
// of the one before: the new one has to open a session of its own before it asks for anything.
test('a late answer about the identity before opens no session for the new one', async () => {
  await play(async (stage) => {
    const beaten: string[] = [];
    let slow = false;
    const client = stage.far('a', {
      beatOut: (id) => void beaten.push(id),
      beatBack: () => (slow ? 900 : undefined),
    });
    await warmUp(client);
    slow = true;
    await stage.clock.sleep(10_500);
    expect(beaten.length, 'the second beat is under way').toBe(2);
    client.session.endIdentity(client.core.ids.client);
    const fresh = client.core.ids.client;
    slow = false;
    await stage.clock.sleep(1000);
    await client.lock('x').run(() => undefined);
    expect.assert(beaten.includes(fresh));
    expect(client.core.ids.client, 'the store refused an identity without a session').toBe(fresh);
  });
});
