import { expect, test } from 'vitest';
import { fairLockForm } from '../../src/engines/redis/locks/fair-lock-form.ts';
import { lockProtocol } from '../../src/engines/redis/locks/lock-protocol.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { asking, type GoldenStage, goldenStage } from './redisson-golden/golden-stage.ts';
import { A, B } from './redisson-golden/owners.ts';

const ABSENT_MS = 400;
const JAVA_WAIT_MS = 300_000;
const [JAVA, JAVA_TOO] = ['a thread of Java', 'another thread of Java'];

/** Two threads of Java stand in line for a lock that A has, B stands behind them. */
async function line(stage: GoldenStage, name: string) {
  const parts = { ...stage.parts, foreignAbsentMs: ABSENT_MS };
  const lock = lockProtocol(parts, fairLockForm(parts));
  const queue = `redisson_lock_queue:{${name}}`;
  const asks = (owner: string) =>
    lock.acquire(name, asking(owner, 30_000, { fences: 1, wait: true, interestMs: 30_000 }));
  await lock.acquire(name, asking(A, 30_000, { fences: 1 }));
  for (const [at, thread] of [JAVA, JAVA_TOO].entries()) {
    const deadline = (await stage.nowMs()) + (at + 1) * JAVA_WAIT_MS;
    await stage.command('ZADD', `redisson_lock_timeout:{${name}}`, deadline, thread);
    await stage.command('RPUSH', queue, thread);
  }
  return {
    asks,
    /** Asks without taking a place. */
    looks: (owner: string) => lock.acquire(name, asking(owner, 30_000, { fences: 1 })),
    /** As Java does when a thread stops waiting, and when it begins. */
    takesNewPlace: async (thread: string) => {
      await stage.command('LREM', queue, 0, thread);
      await stage.command('ZREM', `redisson_lock_timeout:{${name}}`, thread);
      const deadline = (await stage.nowMs()) + JAVA_WAIT_MS;
      await stage.command('ZADD', `redisson_lock_timeout:{${name}}`, deadline, thread);
      await stage.command('RPUSH', queue, thread);
    },
    inLine: () => stage.command('LRANGE', queue, 0, -1),
    leaves: (owner: string) => lock.release(name, { owner }),
    channelOf: (owner: string) => `redisson_lock__channel:{${name}}:${owner}`,
    /** Asks for as long as it takes them to be absent, several times over. */
    asksForLong: async (owner: string) => {
      const since = await stage.nowMs();
      let answer = await asks(owner);
      await waitFor('they could have been seen to be absent', async () => {
        answer = await asks(owner);
        return answer.kind === 'granted' || (await stage.nowMs()) - since > 4 * ABSENT_MS;
      });
      return answer.kind;
    },
  };
}

describeRedis('waiters of Java in the line of a fair lock without a listener', { timeout: 60_000 }, () => {
  const golden = goldenStage();

  test.concurrent('are passed over, all of them together', async () => {
    const { stage, name } = await golden();
    const { asks, asksForLong, inLine, leaves } = await line(stage, name);
    const first = await asks(B);
    expect(first).toMatchObject({ kind: 'busy' });
    // It looks again when they could be absent, and not when their patience ends.
    expect((first as { againInMs: number }).againInMs).toBeLessThanOrEqual(ABSENT_MS + 1);
    expect(await asksForLong(B)).toBe('busy');
    expect(await inLine()).toEqual([B]);
    await leaves(A);
    expect(await asks(B)).toMatchObject({ kind: 'granted' });
    expect(await stage.exists(`holdfast_lock_absent:{${name}}`)).toBe(false);
  });

  test.concurrent('keep their places while they listen, and those behind them too', async () => {
    const { stage, name } = await golden();
    const { asks, asksForLong, channelOf, inLine, leaves } = await line(stage, name);
    await asks(B);
    using listening = await stage.server.subscribe({ channel: channelOf(JAVA) });
    expect(listening).toBeDefined();
    await leaves(A);
    expect(await asksForLong(B)).toBe('busy');
    expect(await inLine()).toEqual([JAVA, JAVA_TOO, B]);
  });

  test.concurrent('keep their places if they listened meanwhile', async () => {
    const { stage, name } = await golden();
    const { asks, channelOf, inLine } = await line(stage, name);
    await asks(B);
    const since = await stage.nowMs();
    {
      using listening = await stage.server.subscribe({ channel: channelOf(JAVA) });
      expect(listening).toBeDefined();
      await waitFor('a good part of it is over', async () => (await stage.nowMs()) - since > ABSENT_MS / 2);
      await asks(B);
    }
    await waitFor('it is over', async () => (await stage.nowMs()) - since > ABSENT_MS);
    await asks(B);
    expect(await inLine()).toContain(JAVA);
  });

  test.concurrent('are waited for anew when they take a new place', async () => {
    const { stage, name } = await golden();
    const { asksForLong, inLine, looks, takesNewPlace } = await line(stage, name);
    await looks(B);
    const since = await stage.nowMs();
    await waitFor('they are absent', async () => (await stage.nowMs()) - since > ABSENT_MS);
    // The next time that the threads wait for the lock: they listen only when they have their places.
    for (const thread of [JAVA, JAVA_TOO]) await takesNewPlace(thread);
    await looks(B);
    expect(await inLine()).toEqual([JAVA, JAVA_TOO]);
    expect(await asksForLong(B)).toBe('busy');
    expect(await inLine()).toEqual([B]);
  });

  test('keep their places on a server with replicas, where Java may listen', async () => {
    const { stage, name } = await golden();
    await using replica = await startRedisServer();
    const isReplicated = async () => (await stage.server.info('replication'))['connected_slaves'] === '1';
    await replica.command('REPLICAOF', '127.0.0.1', stage.server.port);
    await waitFor('it has a replica', isReplicated);
    const { asksForLong, inLine, leaves } = await line(stage, name);
    await leaves(A);
    expect(await asksForLong(B)).toBe('busy');
    expect(await inLine()).toEqual([JAVA, JAVA_TOO, B]);
    await replica.command('REPLICAOF', 'NO', 'ONE');
    await waitFor('it has none', async () => !(await isReplicated()));
  });
});
