import { expect, test } from 'vitest';
import { fairLockForm } from '../../src/engines/redis/locks/fair-lock-form.ts';
import { lockProtocol } from '../../src/engines/redis/locks/lock-protocol.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { asking, type GoldenStage, goldenStage } from './redisson-golden/golden-stage.ts';
import { A, B, D } from './redisson-golden/owners.ts';

const WAIT_MS = 2000;
/** After this long an owner at the front asks again at the latest. */
const OFTEN_MS = Math.ceil(WAIT_MS / 3);
/** So many behind the first ask as often as the first. */
const NEAR = 4;
const MANY = 1000;

function line(stage: GoldenStage, name: string) {
  const lock = lockProtocol(stage.parts, fairLockForm(stage.parts));
  const queue = `redisson_lock_queue:{${name}}`;
  const deadlines = `redisson_lock_timeout:{${name}}`;
  const contributions = `holdfast_lock_wait:{${name}}`;
  return {
    lock,
    takes: () => lock.acquire(name, asking(A, 60_000, { fences: 1 })),
    asks: (owner: string, interestMs = WAIT_MS) =>
      lock.acquire(name, asking(owner, 30_000, { fences: 1, wait: true, interestMs, handOff: true })),
    recordOf: async (owner: string) => String(await stage.command('HGET', contributions, owner)).split(' '),
    inLine: async () => (await stage.command('LRANGE', queue, 0, -1)) as string[],
    channelOf: (owner: string) => `redisson_lock__channel:{${name}}:${owner}`,
    /** So many of ours whose time has been over for a while; an owner lives behind them. */
    fillWithDead: async (count: number, living: string) => {
      const nowMs = await stage.nowMs();
      const owners = Array.from({ length: count }, (_, at) => `dead:${at}`);
      await stage.command('RPUSH', queue, ...owners, living);
      const chain = [...owners, living].flatMap((one, at) => [nowMs + at + 1, one]);
      await stage.command('ZADD', deadlines, ...chain);
      const known = owners.flatMap((one) => [one, `1 ${nowMs - 1000} 0 0 1`]);
      await stage.command('HSET', contributions, ...known, living, `1 ${nowMs + 60_000} 0 0 1`);
    },
    remember: (owner: string, record: string) => stage.command('HSET', contributions, owner, record),
    delay: (owner: string, ms: number) => stage.command('ZINCRBY', deadlines, ms, owner),
    scoreOf: async (owner: string) => Number(await stage.command('ZSCORE', deadlines, owner)),
  };
}

async function commandsDuring(stage: GoldenStage, work: () => unknown): Promise<number> {
  const count = async () => Number((await stage.server.info('stats'))['total_commands_processed']);
  const before = await count();
  await work();
  return (await count()) - before;
}

describeRedis('a long line of a fair lock', { timeout: 60_000 }, () => {
  const golden = goldenStage();

  test.each([
    { by: 'an acquisition', inLine: [B, D], moves: false },
    { by: 'a release', inLine: [B], moves: true },
    { by: 'a forced release', inLine: [B], moves: true },
  ])('a thousand dead are passed over together, by $by', async ({ by, inLine: left, moves }) => {
    const { stage, name } = await golden();
    const { lock, takes, asks, fillWithDead, inLine, scoreOf } = line(stage, name);
    await takes();
    await fillWithDead(MANY, B);
    const before = await scoreOf(B);
    const spent = await commandsDuring(stage, () => {
      if (by === 'an acquisition') return asks(D);
      return by === 'a release' ? lock.release(name, { owner: A }) : lock.force(name, {});
    });
    expect(await inLine()).toEqual(left);
    expect(spent).toBeLessThan(MANY / 10);
    // What each of them has contributed is off the chain. That of a line which is asked at may have been made anew.
    const taken = before - (await scoreOf(B));
    expect(taken === MANY || !moves, `${taken} taken off`).toBe(true);
  });

  test('an owner far behind asks less often once the first has asked, and is called when it comes to the front', async () => {
    const { stage, name } = await golden();
    const { lock, takes, asks, recordOf, channelOf } = line(stage, name);
    await takes();
    const owners = Array.from({ length: NEAR + 3 }, (_, at) => `owner:${at}`);
    const last = owners.at(-1)!;
    for (const owner of owners) {
      const answer = await asks(owner);
      expect((answer as { againInMs: number }).againInMs).toBeLessThanOrEqual(OFTEN_MS);
    }
    let seldomMs = 0;
    const nearMs: number[] = [];
    await waitFor('the last is known to be far behind', async () => {
      for (const owner of owners) {
        const { againInMs } = (await asks(owner)) as { againInMs: number };
        if (owner === last) seldomMs = againInMs;
        else if (owners.indexOf(owner) <= NEAR) nearMs.push(againInMs);
      }
      return seldomMs > OFTEN_MS;
    });
    expect(Math.max(...nearMs)).toBeLessThanOrEqual(OFTEN_MS);
    // Half a front and two places behind it: twice as seldom.
    expect(seldomMs).toBe(Math.ceil((WAIT_MS * (6 / NEAR + 0.5)) / 3));
    const [, keptUntil, , , , patience] = await recordOf(last);
    expect(Number(patience)).toBe(WAIT_MS);
    expect(Number(keptUntil) - (await stage.nowMs())).toBeGreaterThan(WAIT_MS);

    await stage.heard();
    await lock.release(name, { owner: owners[1]! });
    await lock.release(name, { owner: owners[2]! });
    const heard = await stage.heard();
    expect(heard).toContainEqual([channelOf(last), '0']);
    const [, calledUntil, , , , called] = await recordOf(last);
    expect(called).toBe('0');
    expect(Number(calledUntil) - (await stage.nowMs())).toBeLessThanOrEqual(WAIT_MS);
    // It lives: its place is one like the others again.
    expect(((await asks(last)) as { againInMs: number }).againInMs).toBeLessThanOrEqual(OFTEN_MS);
    expect(await recordOf(last)).toHaveLength(5);
  });

  test('the dead far behind are called when the front has died, and passed over together', async () => {
    const { stage, name } = await golden();
    const { takes, asks, inLine } = line(stage, name);
    await takes();
    const owners = Array.from({ length: 6 * NEAR }, (_, at) => `owner:${at}`);
    for (const owner of owners) await asks(owner);
    const farSince = await stage.nowMs();
    await waitFor('they are known to be far behind', async () => {
      for (const owner of owners) await asks(owner);
      return (await stage.nowMs()) - farSince > 2 * WAIT_MS;
    });
    const diedAt = await stage.nowMs();
    await waitFor('the one that lives is the first', async () => {
      await asks(D);
      return (await inLine())[0] === D;
    });
    // The last of them would have been kept for six times its patience.
    expect((await stage.nowMs()) - diedAt).toBeLessThan(4 * WAIT_MS);
  });

  test('a hundred idle owners ask less often than twenty-five at the front would', async () => {
    const { stage, name } = await golden();
    const { takes, asks } = line(stage, name);
    await takes();
    const owners = Array.from({ length: 100 }, (_, at) => `owner:${at}`);
    // On a busy machine a round of them takes longer than the patience of the other cases.
    const patienceMs = 5 * WAIT_MS;
    const oftenMs = 5 * OFTEN_MS;
    const askAll = async (): Promise<readonly number[]> => {
      const answers = await Promise.all(owners.map(async (owner) => asks(owner, patienceMs)));
      return answers.map((answer) => (answer as { againInMs: number }).againInMs);
    };
    let pauses = await askAll();
    // Each learns that it is far behind once the first has asked after it came.
    const areFar = async () => {
      pauses = await askAll();
      return pauses.filter((pauseMs) => pauseMs > oftenMs).length >= owners.length - NEAR - 1;
    };
    await waitFor('those behind the front ask seldom', areFar, 40_000);
    expect(pauses.reduce((sum, pauseMs) => sum + oftenMs / pauseMs, 0)).toBeLessThan(25);
    // What one of them costs does not depend on how many there are.
    const spent = await commandsDuring(stage, () => asks(owners.at(-1)!, patienceMs));
    expect(spent).toBeLessThan(40);
  });

  test('an owner far behind is called by the waiter that finds it first', async () => {
    const { stage, name } = await golden();
    const { takes, asks, recordOf, remember, channelOf } = line(stage, name);
    await takes();
    await asks('owner:0');
    await asks('owner:1');
    const nowMs = await stage.nowMs();
    await remember('owner:0', `${WAIT_MS} ${nowMs - 1} 0 0 1`);
    await remember('owner:1', `${WAIT_MS} ${nowMs + 60_000} 30000 ${nowMs} 1 ${WAIT_MS}`);
    await stage.heard();
    await asks(D);
    expect(await stage.heard()).toContainEqual([channelOf('owner:1'), '0']);
    const [, keptUntil, , , , called] = await recordOf('owner:1');
    expect(called).toBe('0');
    expect(Number(keptUntil) - (await stage.nowMs())).toBeLessThanOrEqual(WAIT_MS);
  });

  test('an owner far behind is called by the waiter that enters before it', async () => {
    const { stage, name } = await golden();
    const { takes, asks, recordOf, remember, channelOf } = line(stage, name);
    await takes();
    const owners = Array.from({ length: NEAR + 2 }, (_, at) => `owner:${at}`);
    for (const owner of owners) await asks(owner);
    const last = owners.at(-1)!;
    const nowMs = await stage.nowMs();
    await remember(last, `${WAIT_MS} ${nowMs + 60_000} 30000 ${nowMs} 1 ${WAIT_MS}`);
    // The lease of the holder has ended: no release hands the lock off.
    await stage.command('DEL', name);
    await stage.heard();
    expect((await asks(owners[0]!)).kind).toBe('granted');
    expect(await stage.heard()).toContainEqual([channelOf(last), '0']);
    expect((await recordOf(last))[5]).toBe('0');
  });

  test('an owner that asks at the front is kept no longer than others', async () => {
    const { stage, name } = await golden();
    const { takes, asks, recordOf, remember } = line(stage, name);
    await takes();
    await asks('owner:0');
    await asks('owner:1');
    const nowMs = await stage.nowMs();
    await remember('owner:1', `${WAIT_MS} ${nowMs + 60_000} 30000 ${nowMs} 1 ${WAIT_MS}`);
    await asks('owner:1');
    const record = await recordOf('owner:1');
    expect(record).toHaveLength(5);
    expect(Number(record[1]) - (await stage.nowMs())).toBeLessThanOrEqual(WAIT_MS);
  });

  test('an owner that has come to the front contributes a whole patience again', async () => {
    const { stage, name } = await golden();
    const { lock, takes, asks, recordOf, remember } = line(stage, name);
    await takes();
    const owners = Array.from({ length: NEAR + 2 }, (_, at) => `owner:${at}`);
    for (const owner of owners) await asks(owner);
    const last = owners.at(-1)!;
    // What a chain that was made anew left of it, before its ticket was kept for longer.
    const nowMs = await stage.nowMs();
    await remember(last, `1 ${nowMs + 60_000} 30000 ${nowMs} 1`);
    await lock.release(name, { owner: owners[1]! });
    await asks(last);
    const [contributed] = await recordOf(last);
    expect(Number(contributed)).toBeGreaterThanOrEqual(WAIT_MS / 2);
  });

  test('an owner far behind contributes no more than its patience to a chain that is made anew', async () => {
    const { stage, name } = await golden();
    const { takes, asks, recordOf, remember, scoreOf, delay } = line(stage, name);
    await takes();
    const owners = Array.from({ length: NEAR + 2 }, (_, at) => `owner:${at}`);
    for (const owner of owners) await asks(owner);
    const [first, second] = owners;
    const last = owners.at(-1)!;
    const nowMs = await stage.nowMs();
    await remember(last, `1 ${nowMs + 60_000} 30000 ${nowMs} 1 ${WAIT_MS}`);
    // The first is not due when its ticket ends: the chain is made anew.
    await delay(first!, WAIT_MS / 4);
    await asks(second!);
    expect((await recordOf(last))[0]).toBe(String(WAIT_MS));
    expect((await scoreOf(last)) - (await scoreOf(owners.at(-2)!))).toBe(WAIT_MS);
  });

  test('an owner far behind that does not listen asks as often as the first', async () => {
    const { stage, name } = await golden();
    const { lock, takes, asks } = line(stage, name);
    await takes();
    for (let at = 0; at <= NEAR + 1; at++) await asks(`owner:${at}`);
    const since = await stage.nowMs();
    await waitFor('it could have been seen that the first lives', async () => {
      for (let at = 0; at <= NEAR + 1; at++) await asks(`owner:${at}`);
      const deaf = asking(B, 30_000, { fences: 1, wait: true, interestMs: WAIT_MS });
      const answer = (await lock.acquire(name, deaf)) as { againInMs: number };
      expect(answer.againInMs).toBeLessThanOrEqual(OFTEN_MS);
      return (await stage.nowMs()) - since > 2 * WAIT_MS;
    });
  });
});
