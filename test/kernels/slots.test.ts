import { expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import { Session } from '../../src/core/session.ts';
import { ReliableCells } from '../../src/kernels/cells/reliable-cells.ts';
import type { CellCall, Wire } from '../../src/kernels/cells/wire.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const COMMAND_TIMEOUT_MS = 1000;
const CLIENT = 'c'.repeat(32);

const ofOwner = (n: number) => ({ owner: `${CLIENT}:${n}` });

/** Cells behind a wire that carries two calls at once, and answers each after so long; Infinity for never. */
function twoAtOnce(clock: VirtualClock, answersAfterMs: () => number) {
  const sent: CellCall[] = [];
  let underWay = 0;
  let most = 0;
  const answered = async (): Promise<number> => {
    await clock.sleep(answersAfterMs());
    return clock.epochNow();
  };
  const wire: Wire = {
    atOnce: 2,
    send: async (call) => {
      sent.push(call);
      most = Math.max(most, ++underWay);
      try {
        return { now: await answered(), outcome: { kind: 'done', answer: call.name } };
      } finally {
        underWay--;
      }
    },
    look: async () => ({ now: await answered(), look: 'seen' }),
    time: () => Promise.resolve(clock.epochNow()),
    watch: () => () => undefined,
  };
  const random = { id: () => CLIENT, fraction: () => 0.5 };
  const client = new Client({ label: 'narrow', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
  const session = new Session(client, { beat: () => 'alive' as const, end: () => undefined }, Infinity);
  const cells = new ReliableCells(client, session, wire, { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const change = (name: string, verb = 'acquire', ask: object = {}) => cells.change('lock', name, verb, ask);
  return {
    change,
    client,
    names: () => sent.map(({ name }) => name),
    calls: () => sent.map(({ name, verb }) => `${verb} ${name}`),
    mostUnderWay: () => most,
    sent,
  };
}

test('no more calls are under way than the wire carries, and each is decided when it is sent', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, mostUnderWay, sent } = twoAtOnce(clock, () => 100);
    await Promise.all(Array.from({ length: 20 }, (_, at) => change(`n${at}`)));
    expect(mostUnderWay()).toBe(2);
    expect(sent.length).toBe(20);
    const limits = sent.map(({ request }) => request.notAfter);
    expect(limits.at(-1)! - limits[0]!, 'the time of the last one begins when it is sent').toBeGreaterThan(
      850,
    );
  });
});

test('a call that leaves overtakes those that want to come in (soundness 21)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, names } = twoAtOnce(clock, () => 100);
    const acquired = ['a', 'b', 'c', 'd'].map((name) => change(name));
    await Promise.all([...acquired, change('e', 'release')]);
    expect(names()).toStrictEqual(['a', 'b', 'e', 'c', 'd']);
  });
});

test('a release and a renewal overtake the acquisitions of their own cell (soundness 21)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, calls } = twoAtOnce(clock, () => 100);
    await Promise.all([
      ...['a', 'a', 'a'].map((name) => change(name)),
      change('a', 'release', ofOwner(1)),
      change('a', 'renew', ofOwner(2)),
    ]);
    expect(calls()).toStrictEqual(['acquire a', 'release a', 'renew a', 'acquire a', 'acquire a']);
  });
});

test('a release overtakes an acquisition of its cell that has the turn and waits for a slot', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, calls } = twoAtOnce(clock, () => 100);
    await Promise.all([...['a', 'b', 'c', 'd'].map((name) => change(name)), change('d', 'release')]);
    expect(calls()).toStrictEqual(['acquire a', 'acquire b', 'release d', 'acquire c', 'acquire d']);
  });
});

test('calls of one cell that wait for their turn keep no other cell from its slot', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, calls } = twoAtOnce(clock, () => 100);
    await Promise.all(['a', 'a', 'a', 'a', 'b'].map((name) => change(name)));
    expect(calls().slice(0, 2)).toStrictEqual(['acquire a', 'acquire b']);
  });
});

test('an acquisition keeps its place in line while releases of its cell overtake it (soundness 21)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    let isFirst = true;
    const { change, calls } = twoAtOnce(clock, () => {
      const takesMs = isFirst ? 900 : 10;
      isFirst = false;
      return takesMs;
    });
    // One slot is taken all the time; of the other, a release of "k" has every second turn.
    const all = [change('long'), change('x'), change('k', 'acquire', ofOwner(1)), change('y0')];
    await clock.sleep(5);
    for (let round = 1; round <= 10; round++) {
      all.push(change('k', 'release', ofOwner(100 + round)), change(`y${round}`));
      await clock.sleep(20);
    }
    await Promise.all(all);
    expect(calls().slice(0, 5)).toEqual(['acquire long', 'acquire x', 'release k', 'acquire k', 'release k']);
  });
});

test('an acquisition that is withdrawn before it was sent takes no slot, and is never sent', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, calls } = twoAtOnce(clock, () => 100);
    const others = ['a', 'b'].map((name) => change(name));
    const left = change('c', 'acquire', ofOwner(1));
    const stays = change('c', 'acquire', ofOwner(2));
    const refused = left.catch((reason: unknown) => reason);
    await Promise.all([...others, stays, refused, change('c', 'release', ofOwner(1))]);
    expect(await refused).toMatchObject({
      code: 'ENGINE',
      retryable: true,
      message: expect.stringMatching(/lock "c": .*withdrawn before it was sent; nothing was done/),
    });
    expect(calls()).toStrictEqual(['acquire a', 'acquire b', 'release c', 'acquire c']);
  });
});

test('a release withdraws every acquisition of its owner that was not sent (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, calls } = twoAtOnce(clock, () => 100);
    const under = change('a');
    const left = [change('a', 'acquire', ofOwner(1)), change('a', 'acquire', ofOwner(1))];
    const outcomes = Promise.allSettled(left);
    await Promise.all([under, change('a', 'release', ofOwner(1))]);
    const whys = (await outcomes).map((outcome) => outcome.status === 'rejected' && String(outcome.reason));
    expect(whys).toEqual([
      expect.stringMatching(/withdrawn before it was sent/),
      expect.stringMatching(/withdrawn before it was sent/),
    ]);
    expect(calls()).toStrictEqual(['acquire a', 'release a']);
  });
});

test('a call that withdraws nothing follows every earlier call of its owner, in their order', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, sent } = twoAtOnce(clock, () => 100);
    await Promise.all([
      change('a'),
      change('a', 'arrive', ofOwner(9)),
      change('a', 'arrive', { ...ofOwner(1), part: 'first' }),
      change('a', 'arrive', { ...ofOwner(1), part: 'second' }),
      change('a', 'leave', { ...ofOwner(1), part: 'third' }),
    ]);
    const parts = sent.map(({ ask }) => ('part' in ask ? ask.part : 'another'));
    expect(parts).toStrictEqual(['another', 'first', 'second', 'third', 'another']);
  });
});

test('what a party says after its arrival does not overtake the arrival (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, calls } = twoAtOnce(clock, () => 100);
    await Promise.all([
      change('a', 'arrive', ofOwner(1)),
      change('a', 'arrive', ofOwner(2)),
      change('a', 'arrive', ofOwner(3)),
      change('a', 'leave', ofOwner(3)),
    ]);
    expect(calls()).toStrictEqual(['arrive a', 'arrive a', 'leave a', 'arrive a']);
  });
});

test('a line that moves is waited for, however long it is', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, names } = twoAtOnce(clock, () => 900);
    const all = Array.from({ length: 40 }, (_, at) => `n${at}`);
    const since = clock.now();
    expect(await Promise.all(all.map((name) => change(name)))).toStrictEqual(all);
    expect(clock.now() - since).toBe(20 * 900);
    expect(names(), 'each of them once').toStrictEqual(all);
  });
});

test('behind calls that the store does not answer, a call is refused unsent within twice the time-out', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, names } = twoAtOnce(clock, () => Infinity);
    const stuck = Promise.allSettled([change('a'), change('b')]);
    const since = clock.now();
    await expect(change('c')).rejects.toMatchObject({
      code: 'ENGINE',
      retryable: true,
      message: expect.stringMatching(/lock "c": narrow has answered none.*nothing was done/),
    });
    expect(clock.now() - since).toBe(2 * COMMAND_TIMEOUT_MS);
    expect(names()).not.toContain('c');
    await stuck;
  });
});

test('a call that comes to its slot after a silence has only what is left of its time', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change } = twoAtOnce(clock, () => Infinity);
    const stuck = Promise.allSettled([change('a'), change('b')]);
    await clock.sleep(COMMAND_TIMEOUT_MS);
    const since = clock.now();
    await expect(change('late')).rejects.toThrow(/did not answer/);
    expect(clock.now() - since, `${clock.now() - since} ms`).toBeLessThanOrEqual(2.2 * COMMAND_TIMEOUT_MS);
    await stuck;
  });
});

test('an acquisition that is still in line when its client closes is not sent', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, client, names } = twoAtOnce(clock, () => 100);
    const outcomes = Promise.allSettled([change('a'), change('b'), change('c'), change('d', 'release')]);
    await client.close();
    const [, , third, fourth] = await outcomes;
    expect(third?.status === 'rejected' && (third.reason as { code?: string }).code).toBe('CLOSED');
    expect(fourth?.status).toBe('fulfilled');
    expect(names()).toStrictEqual(['a', 'b', 'd']);
  });
});

test('an acquisition that comes to its slot in a closed client leaves cell and slot to the releases behind it', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { change, client, calls } = twoAtOnce(clock, () => 100);
    const outcomes = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => change(name)));
    await client.close();
    await outcomes;
    await Promise.all(['c', 'd', 'e'].map((name) => change(name, 'release')));
    expect(calls()).toEqual(['acquire a', 'acquire b', 'release c', 'release d', 'release e']);
  });
});
