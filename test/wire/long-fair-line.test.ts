import { expect, test } from 'vitest';
import { fairLockForm } from '../../src/engines/redis/locks/fair-lock-form.ts';
import { lockProtocol } from '../../src/engines/redis/locks/lock-protocol.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { asking, type GoldenStage, goldenStage } from './redisson-golden/golden-stage.ts';
import { A, B, C, D } from './redisson-golden/owners.ts';

const WAIT_MS = 60_000;
const MANY = 1000;
/** More than one script takes out. */
const VERY_MANY = 2500;

function line(stage: GoldenStage, name: string) {
  const lock = lockProtocol(stage.parts, fairLockForm(stage.parts));
  const queue = `redisson_lock_queue:{${name}}`;
  const deadlines = `redisson_lock_timeout:{${name}}`;
  const contributions = `holdfast_lock_wait:{${name}}`;
  return {
    lock,
    takes: () => lock.acquire(name, asking(A, 60_000, { fences: 1 })),
    asks: (owner: string) =>
      lock.acquire(name, asking(owner, 30_000, { fences: 1, wait: true, interestMs: WAIT_MS })),
    inLine: async () => (await stage.command('LRANGE', queue, 0, -1)) as string[],
    recorded: async () => (await stage.command('HKEYS', contributions)) as string[],
    scores: () => stage.scores(deadlines),
    channelOf: (owner: string) => `redisson_lock__channel:{${name}}:${owner}`,
    /** So many of ours, which added a millisecond each and whose time has been over for a while; the owners behind them live. */
    fillWithDead: async (count: number, ...living: readonly string[]) => {
      const nowMs = await stage.nowMs();
      const owners = Array.from({ length: count }, (_, at) => `dead:${at}`);
      await stage.command('RPUSH', queue, ...owners, ...living);
      const chain = [...owners, ...living].flatMap((one, at) => [nowMs + at + 1, one]);
      await stage.command('ZADD', deadlines, ...chain);
      const dead = owners.flatMap((one) => [one, `1 ${nowMs - WAIT_MS} 0 0 1`]);
      const kept = living.flatMap((one) => [one, `1 ${nowMs + WAIT_MS} 0 0 1`]);
      await stage.command('HSET', contributions, ...dead, ...kept);
      return nowMs;
    },
    /** Waiters of ours with what is left of their place, and of Java without. */
    putAtTheEnd: async (...waiters: readonly (readonly [string, number | undefined])[]) => {
      const nowMs = await stage.nowMs();
      for (const [owner, leftMs] of waiters) {
        await stage.command('RPUSH', queue, owner);
        await stage.command('ZADD', deadlines, nowMs + WAIT_MS, owner);
        if (leftMs !== undefined)
          await stage.command('HSET', contributions, owner, `1 ${nowMs + leftMs} 0 0 1`);
      }
    },
    putAtTheFront: (owner: string) => stage.command('LPUSH', queue, owner),
    forgetDeadlines: () => stage.command('DEL', deadlines),
  };
}

async function commandsDuring(stage: GoldenStage, work: () => unknown): Promise<number> {
  const count = async () => Number((await stage.server.info('stats'))['total_commands_processed']);
  const before = await count();
  await work();
  return (await count()) - before;
}

type Line = ReturnType<typeof line>;

const STEPS: readonly (readonly [string, (line: Line, name: string) => Promise<unknown>])[] = [
  ['an acquisition', async ({ lock }, name) => lock.acquire(name, asking(D, 30_000, { fences: 1 }))],
  ['a release', async ({ lock }, name) => lock.release(name, { owner: A })],
  [
    'a release of a hold that is to last',
    async ({ lock }, name) =>
      lock.release(name, { owner: A, minHold: { ms: 50_000, fence: Date.now() * 1000 } }),
  ],
  ['a forced release', async ({ lock }, name) => lock.force(name, {})],
];

describeRedis('a long line of a fair lock', { timeout: 60_000 }, () => {
  const golden = goldenStage();

  test.each(STEPS)('a thousand dead are taken out together by %s', async (_by, step) => {
    const { stage, name } = await golden();
    const stood = line(stage, name);
    await stood.takes();
    const begunMs = await stood.fillWithDead(MANY, B, C);
    const spent = await commandsDuring(stage, () => step(stood, name));
    await expect(stood.inLine()).resolves.toEqual([B, C]);
    expect(spent).toBeLessThan(100);
    // What the dead added is taken off the living, and nothing of the dead is left.
    expect([...(await stood.scores())]).toEqual([
      [B, begunMs + 1],
      [C, begunMs + 2],
    ]);
    expect((await stood.recorded()).toSorted()).toEqual([B, C].toSorted());
  });

  test.each(STEPS)('%s takes out no more than a thousand', async (_by, step) => {
    const { stage, name } = await golden();
    const stood = line(stage, name);
    await stood.takes();
    await stood.fillWithDead(VERY_MANY, B);
    await stage.heard();
    const spent = await commandsDuring(stage, () => step(stood, name));
    expect(spent).toBeLessThan(100);
    expect((await stood.inLine()).length).toBe(VERY_MANY - MANY + 1);
  });

  test('those left over are taken out by the last in line, whom the release tells to ask', async () => {
    const { stage, name } = await golden();
    const stood = line(stage, name);
    await stood.takes();
    await stood.fillWithDead(VERY_MANY, B);
    await stage.heard();
    await stood.lock.release(name, { owner: A });
    await expect(stage.heard()).resolves.toEqual([[stood.channelOf(B), '0']]);
    const answers: Awaited<ReturnType<typeof stood.asks>>[] = [];
    const spent = await commandsDuring(stage, async () => {
      while (answers.length < 4 && answers.at(-1)?.kind !== 'granted') answers.push(await stood.asks(B));
    });
    expect(answers).toMatchObject([{ kind: 'busy' }, { kind: 'granted' }]);
    expect((answers[0] as { againInMs: number }).againInMs).toBeLessThanOrEqual(2);
    expect(spent).toBeLessThan(200);
    await expect(stood.inLine()).resolves.toEqual([]);
  });

  test.each(STEPS.slice(1))(
    '%s that leaves some over tells the last of ours that lives',
    async (_by, step) => {
      const { stage, name } = await golden();
      const stood = line(stage, name);
      await stood.takes();
      await stood.fillWithDead(VERY_MANY, B);
      // Of those behind it one has died as well, and one is of Java, which takes none of ours out.
      await stood.putAtTheEnd([C, -WAIT_MS], [D, undefined]);
      await stage.heard();
      await step(stood, name);
      await expect(stage.heard()).resolves.toEqual([[stood.channelOf(B), '0']]);
    },
  );

  // The key of the deadlines was evicted. The waiter that stands first takes a new place at the end.
  test('no more than a thousand are taken out behind one that stands first without a deadline', async () => {
    const { stage, name } = await golden();
    const stood = line(stage, name);
    await stood.takes();
    await stood.fillWithDead(VERY_MANY);
    await stood.putAtTheFront(B);
    await stood.forgetDeadlines();
    const kinds: string[] = [];
    for (let asked = 0; asked < 4; asked++) kinds.push((await stood.asks(B)).kind);
    expect(kinds).toEqual(['busy', 'busy', 'busy', 'busy']);
    await expect(stood.inLine()).resolves.toEqual([B]);
  });

  test('what the dead added is taken off those behind exactly once, however many scripts it takes', async () => {
    const { stage, name } = await golden();
    const stood = line(stage, name);
    await stood.takes();
    const begunMs = await stood.fillWithDead(VERY_MANY, B, C);
    for (let asked = 0; asked < 3; asked++) {
      await stood.lock.acquire(name, asking(D, 30_000, { fences: 1 }));
    }
    expect([...(await stood.scores())]).toEqual([
      [B, begunMs + 1],
      [C, begunMs + 2],
    ]);
  });
});
