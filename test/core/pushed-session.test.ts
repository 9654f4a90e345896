import { describe, expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import { PushedSession } from '../../src/core/pushed-session.ts';
import type { Liveness, LivenessNews } from '../../src/spi/engine/liveness.ts';
import { SeededRandom } from '../engines/seeded-random.ts';
import { UncaughtErrors } from '../fixtures/uncaught-errors.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const TIMEOUT_MS = 10_000;
const MARGIN_MS = 120;

function pushed({ open = () => undefined, close = () => undefined }: Partial<Liveness> = {}) {
  const clock = new VirtualClock();
  const client = new Client({
    label: 'pushed',
    clock,
    random: new SeededRandom('pushed'),
    renewalLeaseMs: 30_000,
    maxHoldMs: Infinity,
  });
  let push!: (news: LivenessNews) => void;
  let abandoned = 0;
  const liveness: Liveness = {
    open,
    follow: (heard) => {
      push = heard;
    },
    abandon: () => void abandoned++,
    close,
  };
  const session = new PushedSession(client, liveness);
  const connected = (sentAt: number, name = 'one'): void =>
    push({ kind: 'connected', session: name, sentAt, timeoutMs: TIMEOUT_MS });
  return {
    clock,
    client,
    session,
    connected,
    push: (news: LivenessNews) => push(news),
    abandoned: () => abandoned,
  };
}

describe('a pushed session', () => {
  test('lasts from the send time of the last acknowledged heartbeat, less the margin', () => {
    const { clock, client, connected } = pushed();
    const sentAt = clock.now();
    clock.stall(3000);
    connected(sentAt);
    expect(client.sessionDeadline).toBe(sentAt + TIMEOUT_MS - MARGIN_MS);
  });

  test('is not shortened by an acknowledgement that was overtaken', () => {
    const { clock, client, connected } = pushed();
    const first = clock.now();
    clock.stall(1000);
    connected(clock.now());
    const deadline = client.sessionDeadline;
    connected(first);
    expect(client.sessionDeadline).toBe(deadline);
  });

  test('loses nothing while the connection is suspended, and ends at its deadline', async () => {
    const { clock, client, connected, push, session, abandoned } = pushed();
    connected(clock.now());
    const { generation } = client.ids;
    const suspendedAt = clock.now();
    push({ kind: 'suspended' });
    await clock.run(() => clock.sleep(TIMEOUT_MS - MARGIN_MS - 1));
    // Not counted from the last of several reports.
    push({ kind: 'suspended' });
    expect([session.id, session.owedSince(), client.ids.generation]).toEqual([
      'one',
      suspendedAt,
      generation,
    ]);
    await clock.run(() => clock.sleep(2));
    expect([session.id, client.ids.generation, abandoned()]).toEqual([undefined, generation + 1, 1]);
    expect(client.sessionDeadline).toBe(-Infinity);
  });

  test('is not revived by an acknowledgement that comes after the deadline', () => {
    const { clock, client, connected, session, abandoned } = pushed();
    connected(clock.now());
    const { generation } = client.ids;
    // No timer can run meanwhile.
    clock.stall(TIMEOUT_MS);
    connected(clock.now() - 1);
    expect([session.id, client.ids.generation, abandoned()]).toEqual([undefined, generation + 1, 1]);
  });

  test('a session of another name is another identity, and is not given up with the one before', () => {
    const { clock, client, connected, session, abandoned } = pushed();
    connected(clock.now());
    const { generation } = client.ids;
    connected(clock.now(), 'two');
    expect([session.id, client.ids.generation, abandoned()]).toEqual(['two', generation + 1, 0]);
    expect(client.sessionDeadline).toBe(clock.now() + TIMEOUT_MS - MARGIN_MS);
  });

  test('ends at once when the store says so', () => {
    const { clock, connected, push, session, abandoned } = pushed();
    connected(clock.now());
    push({ kind: 'lost' });
    expect([session.id, abandoned()]).toEqual([undefined, 0]);
  });

  test('has one connection until it is suspended, and none when its deadline has passed', () => {
    const { clock, connected, push, session } = pushed();
    expect(session.connection).toBeUndefined();
    connected(clock.now());
    const first = session.connection;
    expect(first).toBeDefined();
    connected(clock.now());
    expect(session.connection).toBe(first);
    push({ kind: 'suspended' });
    expect(session.connection).toBeUndefined();
    connected(clock.now());
    expect([undefined, first]).not.toContain(session.connection);
    // No timer can run meanwhile.
    clock.stall(TIMEOUT_MS);
    expect(session.connection).toBeUndefined();
  });

  test('opening looks at the clock: a deadline that has passed ends the session before any timer has run', () => {
    const { clock, client, connected, session } = pushed({ open: () => connected(clock.now(), 'two') });
    connected(clock.now());
    const { generation } = client.ids;
    clock.stall(TIMEOUT_MS);
    void session.open();
    expect(client.ids.generation).toBe(generation + 1);
  });

  test('that cannot be opened rejects nothing that has no handler, also if its caller gave up before it listened', async () => {
    using unhandled = new UncaughtErrors();
    const { session } = pushed({ open: () => Promise.reject(new Error('unreachable')) });
    void session.open();
    expect(await unhandled.soFar()).toStrictEqual([]);
  });

  test('that is opened later than it lasts is given up, once for all who wait for it', async () => {
    let opened = 0;
    const { clock, connected, session, abandoned } = pushed({
      open: async () => {
        opened++;
        const askedAt = clock.now();
        // No timer can run meanwhile.
        if (opened < 3) clock.stall(TIMEOUT_MS);
        connected(askedAt);
      },
    });
    const late = { message: expect.stringContaining('later than it lasts') as string, retryable: true };
    const both = await Promise.allSettled([session.open(), session.open()]);
    expect(both).toMatchObject([
      { status: 'rejected', reason: late },
      { status: 'rejected', reason: late },
    ]);
    expect([session.id, abandoned()]).toEqual([undefined, 1]);
    await session.open();
    expect([session.id, abandoned()]).toEqual(['one', 1]);
  });

  test('is not opened again for a request that is repeated while its client closes', async () => {
    let opened = 0;
    const { clock, connected, session } = pushed({ open: () => void opened++ });
    connected(clock.now());
    await session.end();
    clock.stall(TIMEOUT_MS);
    await expect(session.open()).rejects.toThrow(/closed with its engine object/);
    expect(opened).toBe(0);
  });

  test('waits for a client whose store is silent 5 s, and then ends what it has under way', async () => {
    let answerAll!: () => void;
    const closed = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    const { clock, connected, session } = pushed({ close: () => answerAll() });
    connected(clock.now());
    const since = clock.now();
    await clock.run(() => session.endAfter(closed));
    expect(clock.now() - since).toBe(5000);
  });
});
