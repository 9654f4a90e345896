import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RedisSynchronizers } from 'holdfast/redis';
import {
  lockAcquireWaiting,
  lockMarkedRelease,
  lockRelease,
  lockReleaseLater,
} from '../../../src/engines/redis/scripts.generated.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { JavaLikeWaiter } from './java-like-waiter.ts';
import { CLIENT_NAMES, openLocks, type Place } from './open-locks.ts';
import { startProgram } from './program.ts';

/** More than may listen to the channel of a lock without a crowd. */
const CLIENTS = 24;
const MANY = 40;
const crowd = 'holdfast_lock_crowd:{hot}';
const channel = 'redisson_lock__channel:{hot}';
/** A client that stands in the crowd since long before all others. */
const STRANGER = '0123456789abcdef0123456789abcdef';
const OWNER = 'fedcba9876543210fedcba9876543210';

/** Many clients that wait for one plain lock: a release wakes one of them. */
describeRedis('a crowd', () => {
  let server: RedisServer;
  const opened: RedisSynchronizers[] = [];
  beforeEach(async () => {
    server = await startRedisServer();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((locks) => locks.close()));
    await server.stop();
  });

  async function open(count: number, place: Place = server): Promise<readonly RedisSynchronizers[]> {
    const locks = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        openLocks(CLIENT_NAMES[at % 2]!, place, { announce: false, commandTimeoutMs: 10_000 }),
      ),
    );
    opened.push(...locks);
    return locks;
  }

  const size = async (node = server): Promise<number> => Number(await node.command('ZCARD', crowd));

  /** Some came before there was a crowd: they listen to the channel of the lock, and move when they next try. */
  async function allWait(count: number, node = server, counting = 'NUMSUB'): Promise<boolean> {
    const inCrowd = await size(node);
    const [, listening] = (await node.command('PUBSUB', counting, channel)) as [string, number];
    return inCrowd > 0 && inCrowd + listening >= count;
  }

  /** Has all that listen to the channel of the lock try: a few attempts of each ask where to listen. */
  const wakeAll = (node = server, publish = 'PUBLISH') => node.command(publish, channel, '0');

  /** Has all of them wait, each for one turn. */
  async function crowding(clients: readonly RedisSynchronizers[]) {
    const entered: number[] = [];
    const turns = clients.map(async (locks, at) => {
      const hold = await locks.lock('hot').acquire();
      entered.push(at);
      await hold.release();
    });
    await waitFor('all clients wait', async () => {
      await wakeAll();
      return allWait(clients.length);
    });
    return { entered, done: Promise.all(turns) };
  }

  async function holding(): Promise<() => Promise<void>> {
    const [holder] = await open(1);
    const hold = await holder!.lock('hot').acquire();
    return () => hold.release();
  }

  /** Has the lock held without a client of this process. */
  const heldBy = (owner: string) =>
    server.command('EVAL', "redis.call('DEL', 'hot') redis.call('HSET', 'hot', ARGV[1], 1)", 0, owner);

  /**
   * Gives the lock to another owner beside the crowd, so that all clients leave the channel of the lock. Returns how that owner
   * releases: from then on only the client that has waited longest hears of it.
   */
  async function alone(clients: number): Promise<() => Promise<unknown>> {
    const owner = `${OWNER}:02`;
    await waitFor('all clients stand in the crowd', async () => {
      await wakeAll();
      return (await size()) === clients;
    });
    await heldBy(owner);
    await waitFor('no client listens to the channel of the lock', async () => {
      await wakeAll();
      const [, listening] = (await server.command('PUBSUB', 'NUMSUB', channel)) as [string, number];
      return listening === 0;
    });
    const { source, command } = lockRelease(
      { lock: 'hot', crowd },
      { owner, publish: 'PUBLISH', channel, beside: 'crowd' },
    );
    return () => server.command('EVAL', source, ...command.slice(2));
  }

  async function evalshas(): Promise<number> {
    const { evalsha = '' } = Object.fromEntries(
      Object.entries(await server.info('commandstats')).map(([one, text]) => [
        one.replace('cmdstat_', ''),
        text,
      ]),
    );
    return Number(/calls=(\d+)/.exec(evalsha)?.[1] ?? 0);
  }

  test('asks little: each release wakes one client, and all have their turn', async () => {
    const release = await holding();
    const { entered, done } = await crowding(await open(MANY));
    expect(Number(await server.command('PTTL', crowd))).toBeGreaterThan(0);
    const before = await evalshas();
    await release();
    await done;
    expect(new Set(entered).size).toBe(MANY);
    // An acquisition and a release of each, and some that move to the crowd or look by themselves. If all were woken it
    // would be 20 for each.
    expect((await evalshas()) - before).toBeLessThan(6 * MANY);
    expect(await server.command('EXISTS', 'hot', crowd)).toBe(0);
  });

  test('passes over the dead in the same release', async () => {
    const release = await holding();
    const { done } = await crowding(await open(CLIENTS));
    for (let at = 0; at < 100; at++) {
      await server.command('ZADD', crowd, at, `${STRANGER.slice(0, 29)}${String(at).padStart(3, '0')}`);
    }
    await release();
    await done;
    expect(await server.command('EXISTS', crowd)).toBe(0);
  });

  test('is not stranded by a client that is woken and does nothing', { timeout: 30_000 }, async () => {
    const release = await holding();
    using stopped = await server.subscribe({ channel: `${channel}:${STRANGER}` });
    const { entered, done } = await crowding(await open(CLIENTS));
    await server.command('ZADD', crowd, 1, STRANGER);
    await release();
    expect((await stopped.next()).payload).toBe('0');
    // Far less than the third of a lease after which each client looks in any case.
    await waitFor('a client that looks out enters', () => entered.length > 0, 6000);
    await done;
  });

  test.each(['killed', 'stopped'] as const)(
    'is not stranded by a process that is %s when its turn comes',
    { timeout: 60_000 },
    async (how) => {
      await heldBy(`${OWNER}:01`);
      const { entered, done } = await crowding(await open(CLIENTS));
      const plan = { client: 'ioredis', place: { port: server.port }, name: 'hot' };
      await using member = startProgram('crowd-member', plan);
      const { owner } = await member.fact('waiting', 30_000);
      await waitFor('it stands in the crowd', async () => {
        await wakeAll();
        return (await server.command('ZSCORE', crowd, String(owner))) !== null;
      });
      const release = await alone(CLIENTS + 1);
      await server.command('ZADD', crowd, 1, String(owner));
      await (how === 'killed' ? member.kill() : member.pause());
      await release();
      await done;
      expect(entered).toHaveLength(CLIENTS);
      expect(await server.command('ZSCORE', crowd, String(owner)), 'its turn has come').toBeNull();
      if (how === 'killed') return;
      member.resume();
      await member.fact('in');
      await member.end();
    },
  );

  test('goes on when the lease of a holder that died is over', { timeout: 30_000 }, async () => {
    await server.command('HSET', 'hot', `${OWNER}:01`, 1);
    await server.command('PEXPIRE', 'hot', 60_000);
    const { entered, done } = await crowding(await open(CLIENTS));
    await server.command('PEXPIRE', 'hot', 1);
    await done;
    expect(entered).toHaveLength(CLIENTS);
  });

  test('is woken by a newcomer that has never heard of it', async () => {
    using next = await server.subscribe({ channel: `${channel}:${STRANGER}` });
    await server.command('ZADD', crowd, 1, `${STRANGER}:01`);
    const [newcomer, later] = await open(2);
    const hold = await newcomer!.lock('hot').acquire();
    expect(await size()).toBe(1);
    await hold.release();
    expect((await next.next()).payload).toBe('0');
    // The next grant sees no crowd, and no client listens: its release looks for none.
    await server.command('CONFIG', 'RESETSTAT');
    await later!.lock('hot').run(() => undefined);
    const looked = await server.info('commandstats');
    expect(looked).toHaveProperty('cmdstat_hdel');
    expect(looked).not.toHaveProperty('cmdstat_zpopmin');
  });

  /** What the server answers an owner that waits and listens on the channel of its client. */
  async function answerTo(owner: string): Promise<readonly unknown[]> {
    const now = Number(((await server.command('TIME')) as string[])[0]) * 1000;
    const { source, command } = lockAcquireWaiting(
      { lock: 'hot', token: 'redisson_lock_token:{hot}', mark: `holdfast_mark:{hot}:${owner}`, crowd },
      {
        owner,
        leaseMs: 1000,
        fences: 1,
        notAfterMs: now + 60_000,
        retentionMs: 1000,
        enters: 1,
        sinceMs: 0,
        count: 'NUMSUB',
        channel,
      },
    );
    return (await server.command('EVAL', source, ...command.slice(2))) as unknown[];
  }

  /** Where the server sends an owner that enters the crowd. */
  const whereFor = async (owner: string): Promise<unknown> => (await answerTo(owner))[3];

  test('loses the dead while no holder releases', { timeout: 30_000 }, async () => {
    const living = [STRANGER, OWNER].map((client) => `${client}:01`);
    const own = living.map((owner) => `${channel}:${owner.slice(0, 32)}`);
    const listening = await Promise.all(own.map((one) => server.subscribe({ channel: one })));
    await heldBy(`${OWNER}:02`);
    for (let at = 0; at < 40; at++) {
      await server.command('ZADD', crowd, at, `${STRANGER.slice(0, 29)}${String(at).padStart(3, '0')}:01`);
    }
    await waitFor('only the living stand in the crowd', async () => {
      // One answer in 64 looks at some of them.
      for (let at = 0; at < 64; at++) await answerTo(living[at % 2]!);
      return (await size()) === living.length;
    });
    expect(await server.command('ZRANGE', crowd, 0, -1)).toEqual(expect.arrayContaining(living));
    for (const one of listening) one[Symbol.dispose]();
  });

  test('has its first client listen for the holder that saw no crowd', async () => {
    const listening = await Promise.all(Array.from({ length: 17 }, () => server.subscribe({ channel })));
    await server.command('HSET', 'hot', `${OWNER}:01`, 1);
    expect(await whereFor(`${STRANGER}:01`)).toBe('both');
    expect(await whereFor(`${STRANGER}:02`)).toBe('own');
    for (const one of listening) one[Symbol.dispose]();
  });

  test('has its clients listen for the release of Java', async () => {
    await server.command('ZADD', crowd, 1, `${STRANGER}:01`, 2, `${STRANGER}:02`);
    await server.command('HSET', 'hot', `${OWNER}:01`, 1);
    expect(await whereFor(`${STRANGER}:03`)).toBe('own');
    await server.command('DEL', 'hot');
    await server.command('HSET', 'hot', 'f0aab1ae-5a24-4f3b-bb54-6a9f4d6a8f3c:1', 1);
    expect(await whereFor(`${STRANGER}:03`)).toBe('both');
  });

  test('has its oldest client listen for the release of Java beside many of them', async () => {
    const listening = await Promise.all(Array.from({ length: 65 }, () => server.subscribe({ channel })));
    await server.command(
      'ZADD',
      crowd,
      Number.MAX_SAFE_INTEGER,
      `${OWNER}:01`,
      Number.MAX_SAFE_INTEGER,
      `${OWNER}:02`,
    );
    await server.command('HSET', 'hot', 'f0aab1ae-5a24-4f3b-bb54-6a9f4d6a8f3c:1', 1);
    expect(await whereFor(`${STRANGER}:01`)).toBe('both');
    const [, , , where, , stood] = await answerTo(`${OWNER}:02`);
    expect(where).toBe('own');
    expect(stood, 'the grant of Java saw no crowd').toBe(0);
    for (const one of listening) one[Symbol.dispose]();
  });

  test('hears of a release by Java, and Java of those by a crowd', { timeout: 30_000 }, async () => {
    using java = await JavaLikeWaiter.open(server, 'hot');
    await java.lock();
    const { entered, done } = await crowding(await open(CLIENTS));
    const heard = waitFor('a client of the crowd enters', () => entered.length > 0, 5000);
    await java.unlock();
    await heard;
    await java.lock();
    await java.unlock();
    await done;
    expect(entered).toHaveLength(CLIENTS);
  });

  test('lets a user wait who may listen to the channel of the lock alone', async () => {
    const rules = ['on', '>secret', '~*', 'resetchannels', `&${channel}`, '+@all'];
    await server.command('ACL', 'SETUSER', 'alone', ...rules);
    await heldBy(`${OWNER}:01`);
    await server.command('ZADD', crowd, 1, `${STRANGER}:01`, 2, `${STRANGER}:02`);
    const [locks] = await open(1, { port: server.port, username: 'alone', password: 'secret' });
    let refused = false;
    locks!.on('trouble', ({ kind }) => (refused ||= kind === 'channel'));
    const giveUp = new AbortController();
    const wait = locks!.lock('hot').acquire({ signal: giveUp.signal });
    await waitFor('it was sent to a channel of its own', async () => {
      await wakeAll();
      return refused;
    });
    giveUp.abort(new Error('no longer'));
    await expect(wait).rejects.toThrow('no longer');
    const next = locks!.lock('hot').acquire();
    await waitFor('it waits again', async () => Number(await wakeAll()) > 0);
    await server.command('DEL', 'hot');
    await wakeAll();
    await (await next).release();
  });

  test('hears of a hold that an operator breaks', async () => {
    await holding();
    const { done } = await crowding(await open(CLIENTS));
    expect(await opened[0]!.lock('hot').forceRelease()).toBe(true);
    await done;
  });

  test('goes on when the server cuts the connections of all who listen', { timeout: 30_000 }, async () => {
    const release = await holding();
    const { entered, done } = await crowding(await open(CLIENTS));
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await release();
    await done;
    expect(entered).toHaveLength(CLIENTS);
  });

  test('loses those who give up, and leaves nothing when all have', async () => {
    const release = await holding();
    const clients = await open(CLIENTS);
    const giveUp = new AbortController();
    const waits = clients.map((locks) => locks.lock('hot').acquire({ signal: giveUp.signal }));
    const ends = Promise.allSettled(waits);
    await waitFor('all clients wait', async () => {
      await wakeAll();
      return allWait(CLIENTS);
    });
    giveUp.abort(new Error('no longer'));
    for (const { status } of await ends) expect(status).toBe('rejected');
    await waitFor('the crowd is gone', async () => (await size()) === 0);
    await release();
  });

  test('of a cluster is woken by messages of its shard', { timeout: 60_000 }, async () => {
    await using cluster = await startRedisCluster();
    const place = { cluster: cluster.nodes.map(({ port }) => port) };
    const clients = await open(CLIENTS + 1, place);
    const hold = await clients[0]!.lock('hot').acquire();
    const entered: number[] = [];
    const turns = clients.slice(1).map(async (locks, at) => {
      const next = await locks.lock('hot').acquire();
      entered.push(at);
      await next.release();
    });
    const someNode = async (): Promise<boolean> => {
      const found = cluster.nodes.map(async (node) => {
        try {
          await wakeAll(node, 'SPUBLISH');
          return await allWait(CLIENTS, node, 'SHARDNUMSUB');
        } catch {
          // The name is in a slot of another node.
          return false;
        }
      });
      return (await Promise.all(found)).includes(true);
    };
    await waitFor('all clients wait', someNode);
    await hold.release();
    await Promise.all(turns);
    expect(entered).toHaveLength(CLIENTS);
  });

  /** A waiter that gives up when a release has already taken its entry out: the message was for it alone. */
  test.each(['release', 'release that leaves a mark'])(
    'a client that leaves passes on the message that was for it: %s',
    async (how) => {
      using next = await server.subscribe({ channel: `${channel}:${STRANGER}` });
      const owner = `${OWNER}:01`;
      const leave = async (): Promise<unknown> => {
        const args = { owner, publish: 'PUBLISH', channel };
        const { source, command } =
          how === 'release'
            ? lockRelease({ lock: 'hot', crowd }, { ...args, beside: '' })
            : lockMarkedRelease({ lock: 'hot', mark: 'left', crowd }, { ...args, tombstoneMs: 1000 });
        return server.command('EVAL', source, ...command.slice(2));
      };
      await server.command('ZADD', crowd, 1, STRANGER, 2, owner);
      expect(await leave(), 'it stood there still: no message was on its way').toEqual(['not-held']);
      expect(await server.command('ZRANGE', crowd, 0, -1)).toEqual([STRANGER]);
      await server.command('HSET', 'hot', 'other:01', 1);
      await leave();
      expect(await size(), 'the holder wakes the next one').toBe(1);
      await server.command('DEL', 'hot');
      await leave();
      expect((await next.next()).payload).toBe('0');
      expect(await size()).toBe(0);
    },
  );

  test('a late copy of a client that has left does not enter', async () => {
    await server.command('ZADD', crowd, 1, `${STRANGER}:01`, 2, `${STRANGER}:02`);
    await server.command('HSET', 'hot', 'other:01', 1);
    const owner = `${OWNER}:01`;
    const { source, command } = lockMarkedRelease(
      { lock: 'hot', mark: `holdfast_mark:{hot}:${owner}`, crowd },
      { owner, publish: 'PUBLISH', channel, tombstoneMs: 60_000 },
    );
    await server.command('EVAL', source, ...command.slice(2));
    expect((await answerTo(owner))[0]).toBe('withdrawn');
    expect(await server.command('ZSCORE', crowd, owner)).toBeNull();
  });

  test('a hold that is to last longer tells one client of its new end', async () => {
    using next = await server.subscribe({ channel: `${channel}:${STRANGER}` });
    await server.command('ZADD', crowd, 1, STRANGER);
    await server.command('HSET', 'hot', `${OWNER}:01`, 1);
    const now = Number(((await server.command('TIME')) as string[])[0]) * 1000;
    const { source, command } = lockReleaseLater(
      { lock: 'hot', mark: 'hot', crowd },
      {
        owner: `${OWNER}:01`,
        tombstoneMs: 0,
        publish: 'PUBLISH',
        channel,
        grantedMs: now,
        minHoldMs: 60_000,
      },
    );
    expect(await server.command('EVAL', source, ...command.slice(2))).toBe(1);
    expect((await next.next()).payload).toBe('0');
    await server.command('DEL', 'hot');
  });
});
