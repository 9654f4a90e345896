import { expect, test } from 'vitest';
import { provesAnswer } from '../../src/core/failures/proves-answer.ts';
import { RefusedError } from '../../src/core/failures/refused-error.ts';
import { StoreFullError } from '../../src/core/failures/store-full-error.ts';
import { Client } from '../../src/core/client.ts';
import { Session } from '../../src/core/session.ts';
import { ReliableCells } from '../../src/kernels/cells/reliable-cells.ts';
import type { CellCall, CellReply, Wire } from '../../src/kernels/cells/wire.ts';
import { EngineError, isHoldfastError } from '../../src/spi/errors.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const NEVER = new Promise<never>(() => undefined);

/** A wire that answers as told, one call after the other, and remembers what it was sent. */
function scripted(clock: VirtualClock, answers: (CellReply['outcome'] | 'nothing' | 'broken' | Error)[]) {
  const sent: CellCall[] = [];
  const wire: Wire = {
    send: (call) => {
      sent.push(call);
      const outcome = answers.shift() ?? { kind: 'done', answer: 'default' };
      if (outcome === 'nothing') return NEVER;
      if (outcome === 'broken') return Promise.reject(new Error('connection reset'));
      if (outcome instanceof Error) return Promise.reject(outcome);
      return Promise.resolve({ now: clock.epochNow(), outcome });
    },
    look: () => Promise.resolve({ now: clock.epochNow(), look: 'seen' }),
    time: () => Promise.resolve(clock.epochNow()),
    watch: () => () => undefined,
  };
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const client = new Client({
    label: 'scripted',
    clock,
    random,
    renewalLeaseMs: 30_000,
    maxHoldMs: Infinity,
  });
  const session = new Session(client, { beat: () => 'alive' as const, end: () => undefined }, Infinity);
  return { cells: new ReliableCells(client, session, wire, { commandTimeoutMs: 1000 }), sent, client, wire };
}

test('a reply that does not come is asked for again under the same number', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, sent } = scripted(clock, ['nothing', { kind: 'done', answer: 42 }]);
    expect(await cells.change('latch', 'a', 'countDown', { by: 1 })).toBe(42);
    expect(sent.length).toBe(2);
    expect(sent[0]).toStrictEqual(sent[1]);
  });
});

test('after twice the time-out the outcome is not known, and it is never sent under another number (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, sent } = scripted(
      clock,
      Array.from({ length: 99 }, () => 'nothing' as const),
    );
    await expect(cells.change('latch', 'a', 'countDown', { by: 1 })).rejects.toSatisfy(
      (error) =>
        isHoldfastError(error) &&
        error.code === 'ENGINE' &&
        /latch "a".*whether it happened is not known/.test(error.message),
    );
    expect(new Set(sent.map(({ request }) => request.seq)).size).toBe(1);
    expect(new Set(sent.map(({ request }) => request.notAfter)).size).toBe(1);
  });
});

test('a wire hears of each copy that was not answered, and of none that was refused (soundness 16)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, wire } = scripted(clock, ['broken', 'nothing', { kind: 'done', answer: 42 }]);
    const suspected: string[] = [];
    wire.suspect = (kind, name) => suspected.push(`${kind} ${name}`);
    expect(await cells.change('latch', 'a', 'countDown', { by: 1 })).toBe(42);
    expect(suspected).toStrictEqual(['latch a']);
  });
});

test('changes of one cell go one after the other, those of others do not wait', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, sent } = scripted(clock, ['nothing', { kind: 'done', answer: 'b' }]);
    const order: unknown[] = [];
    const first = cells.change('lock', 'a', 'acquire', { n: 1 }).then((answer) => order.push(['a1', answer]));
    const second = cells
      .change('lock', 'a', 'release', { n: 2 })
      .then((answer) => order.push(['a2', answer]));
    const other = cells.change('lock', 'b', 'acquire', { n: 3 }).then((answer) => order.push(['b', answer]));
    await Promise.all([first, second, other]);
    expect(order).toStrictEqual([
      ['b', 'b'],
      ['a1', 'default'],
      ['a2', 'default'],
    ]);
    const seqOf = (n: number) => sent.find(({ ask }) => 'n' in ask && ask.n === n)?.request.seq ?? 0;
    expect(seqOf(1)).toBeLessThan(seqOf(2));
  });
});

test('a change that gives up its turn ends no other: the next one waits for the change in flight (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, sent } = scripted(clock, ['nothing', 'nothing']);
    let isFirstOver = false;
    const first = cells.change('latch', 'a', 'countDown', { n: 1 }).finally(() => {
      isFirstOver = true;
    });
    const second = cells.change('latch', 'a', 'countDown', { n: 2 });
    const settled = Promise.allSettled([first, second]);
    // Its caller tries again in the very turn in which it is notified.
    const third = second.catch(() => cells.change('latch', 'a', 'countDown', { n: 3 }));
    let wasFirstOver: boolean | undefined;
    sent.push = (...calls) => {
      if (calls.some(({ ask }) => 'n' in ask && ask.n === 3)) wasFirstOver = isFirstOver;
      return Array.prototype.push.apply(sent, calls);
    };
    expect(await third).toBe('default');
    await settled;
    expect(wasFirstOver).toBe(true);
  });
});

test('a closed client asks a silent store once, however many have to leave', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, sent, client } = scripted(
      clock,
      Array.from({ length: 99 }, () => 'nothing' as const),
    );
    await client.close();
    const since = clock.now();
    const leaving = Array.from({ length: 50 }, () => cells.change('lock', 'a', 'release', {}));
    for (const { status, reason } of (await Promise.allSettled(leaving)) as PromiseRejectedResult[]) {
      expect([status, reason.code]).toStrictEqual(['rejected', 'CLOSED']);
    }
    expect(sent.length).toBe(1);
    expect(clock.now() - since).toBe(1000);
  });
});

test('a closed client whose connection has broken still reports the answers of all other calls', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, client } = scripted(clock, ['nothing', { kind: 'done', answer: 'before' }, 'broken']);
    expect(await cells.change('lock', 'a', 'acquire', {})).toBe('before');
    await client.close();
    const leaving = Array.from({ length: 3 }, () => cells.change('lock', 'a', 'release', {}));
    const outcomes = await Promise.allSettled(leaving);
    expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'fulfilled', 'fulfilled']);
  });
});

test('a refusal as late is "not known" to the caller; a broken connection is tried again', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells } = scripted(clock, ['broken', { kind: 'late' }]);
    await expect(cells.change('lock', 'a', 'acquire', {})).rejects.toMatchObject({
      code: 'ENGINE',
      retryable: true,
    });
  });
});

test('an ended session gives the client a new identity, and its former owners are refused (soundness 18)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { cells, client } = scripted(clock, [{ kind: 'session-ended' }]);
    const before = client.ids.next();
    const fresh = 'd'.repeat(32);
    Object.assign(client.random, { id: () => fresh });
    await expect(cells.change('lock', 'a', 'acquire', { owner: before })).rejects.toMatchObject({
      name: 'SessionEndedError',
    });
    expect(client.ids.client).toBe(fresh);
    await expect(cells.change('lock', 'a', 'acquire', { owner: before })).rejects.toMatchObject({
      name: 'SessionEndedError',
    });
    expect(await cells.change('lock', 'a', 'acquire', { owner: client.ids.next() })).toBe('default');
  });
});

const alpha = { resource: 'latch "alpha"', engine: 'scripted' };

for (const [what, options] of [
  ['its cause', { cause: new Error('connection reset'), retryable: true }],
  ['its words', { retryable: true }],
] as const) {
  test(`a failure that was explained for one name tells callers of another ${what}, and not that name`, async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const explained = new EngineError('latch "alpha": connection reset', alpha, options);
      const { cells, client } = scripted(
        clock,
        Array.from({ length: 199 }, () => explained),
      );
      await expect(cells.change('latch', 'beta', 'countDown', { by: 1 })).rejects.toMatchObject({
        resource: 'latch "beta"',
        message: expect.stringMatching(
          /^latch "beta": scripted did not answer within 2000 ms \(connection reset\); /,
        ),
        cause: new Error('connection reset'),
      });
      expect(String(client.storeFailure)).toBe('Error: connection reset');
    });
  });
}

test('a refusal that may pass rejects at once, and the store counts as reached', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const full = new RefusedError('latch "alpha": no more connections', alpha, { retryable: true });
    const { cells, sent, client } = scripted(clock, [full]);
    const since = clock.now();
    await expect(cells.change('latch', 'alpha', 'countDown', { by: 1 })).rejects.toMatchObject({
      name: 'EngineError',
      retryable: true,
      message: full.message,
    });
    expect([sent.length, clock.now() - since, client.storeFailure]).toStrictEqual([1, 0, undefined]);
  });
});

test('a refusal after a copy that was not answered leaves the outcome open (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const denied = new RefusedError('latch "alpha": not permitted.', alpha, { retryable: false });
    const unknown =
      'latch "alpha": not permitted. An earlier copy of the request was not answered: whether it happened is not known.';
    for (const before of ['nothing', 'broken'] as const) {
      const { cells } = scripted(clock, [before, denied]);
      const error = await cells
        .change('latch', 'alpha', 'countDown', { by: 1 })
        .catch((each: unknown) => each);
      expect(error).toBeInstanceOf(EngineError);
      expect(error).toMatchObject({ message: unknown, retryable: false });
    }
  });
});

test('a failure of our own client is final, and no answer of the store', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const beta = { resource: 'latch "beta"', engine: 'scripted' };
    const closed = new EngineError('latch "beta": the client is not open.', beta, { retryable: false });
    const answers: ('nothing' | 'broken' | Error)[] = ['nothing', 'nothing', 'nothing'];
    const { cells, client } = scripted(clock, answers);
    const since = clock.now();
    const first = cells.change('latch', 'alpha', 'countDown', { by: 1 });
    const inLine = cells.change('latch', 'alpha', 'countDown', { by: 1 });
    const endedAfterMs = inLine.catch(() => clock.now() - since);
    const settled = Promise.allSettled([first, inLine]);
    await client.sleep(1500);
    answers.unshift('broken', closed);
    const refused = cells.change('latch', 'beta', 'countDown', { by: 1 });
    await expect(refused).rejects.toMatchObject({
      name: 'EngineError',
      retryable: false,
      message: expect.stringMatching(
        /^latch "beta": the client is not open\. An earlier copy .*whether it happened is not known/,
      ),
    });
    expect(String(client.storeFailure)).toMatch(/connection reset/);
    // The patience of the call in line counts from its beginning: the store has answered nothing since.
    expect(await endedAfterMs).toBe(2000);
    await settled;
  });
});

/**
 * Cells behind a pool: the first copy waits there for so long before it leaves, unless it is not wanted any more, and is then
 * carried out without an answer; the store refuses the second after 600 ms.
 */
function behindPool(clock: VirtualClock, waitsMs: number) {
  const { client } = scripted(clock, []);
  const refused = new RefusedError('latch "alpha": read-only. Nothing was done.', alpha, { retryable: true });
  let copies = 0;
  let isCarriedOut = false;
  const wire: Wire = {
    tellsWhenSent: true,
    send: async (_call, sending) => {
      if (++copies === 1) {
        await clock.sleep(waitsMs);
        if (sending?.isWanted === false) throw new Error('not wanted any more');
        sending?.leaves();
        isCarriedOut = true;
        return NEVER;
      }
      sending?.leaves();
      await clock.sleep(600);
      sending?.cameToNothing();
      throw refused;
    },
    look: () => Promise.resolve({ now: clock.epochNow(), look: 'seen' }),
    time: () => Promise.resolve(clock.epochNow()),
    watch: () => () => undefined,
  };
  const session = new Session(client, { beat: () => 'alive' as const, end: () => undefined }, Infinity);
  const cells = new ReliableCells(client, session, wire, { commandTimeoutMs: 1000 });
  const outcome = cells
    .change('latch', 'alpha', 'countDown', { by: 1 })
    .catch((error: Error) => error.message);
  return { outcome, isCarriedOut: () => isCarriedOut };
}

test('a refusal leaves the outcome open if an earlier copy has left after the last one (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { outcome, isCarriedOut } = behindPool(clock, 1500);
    expect(String(await outcome)).toMatch(/An earlier copy .* whether it happened is not known/);
    expect(isCarriedOut()).toBe(true);
  });
});

test('a copy that waits for a connection is not sent after the caller heard of a refusal (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { outcome, isCarriedOut } = behindPool(clock, 3000);
    expect(await outcome).toBe('latch "alpha": read-only. Nothing was done.');
    await clock.sleep(5000);
    expect(isCarriedOut()).toBe(false);
  });
});

test('a copy that was refused as late or as old, or found the store full, was answered', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const full = new StoreFullError('latch "alpha": no room.', alpha, undefined);
    for (const answer of [{ kind: 'late' }, { kind: 'superseded' }, full] as const) {
      const { cells } = scripted(clock, ['broken', answer]);
      const error = await cells
        .change('latch', 'alpha', 'countDown', { by: 1 })
        .catch((each: unknown) => each);
      expect(error).toBeInstanceOf(EngineError);
      expect(error).not.toBeInstanceOf(StoreFullError);
      expect(error).toMatchObject({ retryable: true });
      expect(provesAnswer(error as Error), String(error)).toBe(true);
    }
  });
});
