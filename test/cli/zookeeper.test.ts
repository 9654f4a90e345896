import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from 'holdfast';
import type { ZooKeeperSynchronizers } from 'holdfast/zookeeper';
import { openClient } from '../engines/zookeeper/client/open-client.ts';
import { freePort } from '../fixtures/processes/free-port.ts';
import { startEnsemble } from '../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeZooKeeper } from '../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../fixtures/zookeeper/zookeeper-server.ts';
import { Workplace } from './workplace.ts';

/** As Java makes them. */
const JAVA = '0867c787-9f58-4352-a2f8-dcf703074199';

describeZooKeeper('on ZooKeeper', () => {
  let server: ZooKeeperServer;
  let place: Workplace;
  let locks: ZooKeeperSynchronizers;

  beforeAll(async () => {
    server = await startZooKeeper();
    const url = `zookeeper://${server.address}` as const;
    place = new Workplace(url);
    locks = await connect(url, { sessionMs: 10_000 });
  }, 60_000);

  afterAll(async () => {
    await locks?.close();
    await place?.[Symbol.asyncDispose]();
    await server?.stop();
  }, 60_000);

  test('what Curator holds is listed at its path, inspected, and taken away by its owner', async () => {
    const raw = openClient(server.address);
    await raw.create('/orders', undefined, 'container');
    await raw.create(`/orders/_c_${JAVA}-lock-`, Buffer.from('10.0.0.1'), 'ephemeral-sequential');
    expect((await place.run(['list', '/or'])).stdout).toMatch(
      /^lock +\/orders +0867c787… \(Curator\) +- +- +\S+ +0$/m,
    );
    expect((await place.run(['inspect', '/orders'])).stdout.replace(/age {5}\S+/, 'age     1s')).toBe(
      `lock /orders\n  held by   ${JAVA} (Curator)\n    age     1s\n    fence   none\n    lease   without an end\n  waiting   0 in the fleet\n`,
    );
    expect((await place.run(['token', '/orders'])).code).toBe(1);
    expect((await place.run(['release', '/orders', '-y', '--owner', 'another'])).code).toBe(75);
    expect((await place.run(['release', '/orders', '-y', '--owner', JAVA])).code).toBe(0);
    expect((await place.run(['list', '/or'])).stdout).toBe('');
  });

  test('a hold of ours has a fence, by which it is taken away; a waiting run acquires', async () => {
    const hold = await locks.fairLock('job').acquire();
    const waiting = place.start(['run', 'job', '--fair', '--json', '--', 'true']);
    await waiting.said('"waiting"');
    await expect
      .poll(async () => (await place.run(['inspect', 'job'])).stdout, { timeout: 20_000 })
      .toMatch(
        /^fair-lock job\n {2}held by [^]*\n {2}next {6}(?:.+, )?[0-9a-f-]{36}\n {2}waiting {3}1 in the fleet\n$/,
      );
    const fence = String((hold.fence / 64n) * 64n);
    const seen = JSON.parse((await place.run(['inspect', 'job', '--json'])).stdout) as {
      readonly holders: readonly [{ readonly fence: string }];
    };
    expect(BigInt(seen.holders[0].fence) / 64n).toBe(BigInt(fence) / 64n);
    expect((await place.run(['release', 'job', '-y', '--fence', seen.holders[0].fence])).code).toBe(0);
    expect((await waiting.ended).code).toBe(0);
    await hold.release().catch(() => undefined);
  });

  test('a semaphore shows its permits, also one that only Curator holds', async () => {
    await using hold = await locks.semaphore('/seats', { permits: 3 }).acquire({ permits: 2 });
    expect((await place.run(['inspect', '/seats'])).stdout).toContain('  available 1 of 3\n');
    expect((await place.run(['run', '/seats', '--permits', '1/3', '-n', '--', 'true'])).code).toBe(0);
    expect(hold.permits).toBe(2);
    const raw = openClient(server.address);
    for (const path of ['/java', '/java/leases']) await raw.create(path);
    await raw.create(`/java/leases/_c_${JAVA}-lease-`, undefined, 'ephemeral-sequential');
    expect((await place.run(['inspect', '/java'])).stdout).toContain('  available not known');
    expect((await place.run(['inspect', '/java', '--as', 'permit-semaphore'])).code).toBe(64);
  });

  test('watch shows a change as it happens, long before it would look again', async () => {
    const watching = place.start(['watch', '/watched', '--every', '50s']);
    await watching.printed(/watched/);
    await using hold = await locks.lock('/watched/one').acquire();
    await watching.printed('/watched/one');
    expect(hold.lost.aborted).toBe(false);
    watching.kill('SIGINT');
    expect((await watching.ended).code).toBe(0);
  });

  test('run: one at a time, and 75 when it is taken', async () => {
    const running = place.start(['run', '/one', '-c', 'echo in; read line']);
    await running.printed('in');
    expect((await place.run(['run', '/one', '-n', '--', 'true'])).code).toBe(75);
    running.write('\n');
    expect((await running.ended).code).toBe(0);
    expect((await place.run(['run', '/one', '-n', '--', 'true'])).code).toBe(0);
  });

  test('a run whose wrapper is killed: the next one acquires when the session of --lease is over', async () => {
    const killed = place.start(['run', '/leased', '--lease', '5s', '-c', 'echo in $$; exec sleep 60']);
    const orphan = Number((await killed.printed(/in \d+/)).slice(3));
    try {
      killed.kill('SIGKILL');
      expect((await place.run(['run', '/leased', '-n', '--', 'true'])).code).toBe(75);
      // The session of 30 s that there is without --lease would outlast this.
      expect((await place.run(['run', '/leased', '-w', '20s', '--', 'true'])).code).toBe(0);
    } finally {
      process.kill(orphan, 'SIGKILL');
    }
    await killed.ended;
  });

  test('a session that the server cut short does not end a command that is well', async () => {
    await using strict = await startZooKeeper({ settings: { maxSessionTimeout: '8000' } });
    const env = { HOLDFAST_URL: `zookeeper://${strict.address}` };
    // Longer than a whole session, in which a command would be ended whose guard counts with 30 s.
    const { code, stderr } = await place.run(['run', '/cut', '--', 'sleep', '9'], { env });
    expect([code, stderr]).toEqual([0, expect.stringContaining('8000 ms instead of 30000 ms')]);
  });

  test.each([
    ['of servers that are not there', async () => `127.0.0.1:${await freePort()}?connectMs=500`],
    ['of an address that cannot be read', async () => '127.0.0.1:port'],
  ])('a password %s is in no error', async (_what, rest) => {
    const url = `zookeeper://me:wrong-and-secret@${await rest()}`;
    for (const verb of ['list', 'doctor']) {
      const { code, stdout, stderr } = await place.run([verb], { env: { HOLDFAST_URL: url } });
      expect(code).toBeOneOf([64, 69]);
      expect(stdout + stderr).not.toContain('wrong-and-secret');
      expect(stderr).not.toBe('');
    }
  });

  describe('doctor', () => {
    interface Found {
      readonly level: string;
      readonly found: string;
      readonly advice?: string;
    }

    async function examined(url: string) {
      const { code, stdout, stderr } = await place.run(['doctor', '--json'], { env: { HOLDFAST_URL: url } });
      expect({ code, stderr }).toMatchObject({ code: expect.toBeOneOf([0, 1]) });
      const all = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Found & { readonly about: string });
      const about = (what: string): Found =>
        all.find((one) => one.about === what) ?? { level: 'missing', found: stdout };
      return { code, about };
    }

    test('one server: version, session limits, identity, and a lock', async () => {
      const { code, about } = await examined(`zookeeper://ann:secret@${server.address}?sessionMs=90000`);
      expect(about('reachable').found).toBe('1 of 1 servers answer');
      expect(about('version')).toMatchObject({
        level: 'good',
        found: expect.stringMatching(/ZooKeeper 3\.\d+/),
      });
      expect(about('ensemble')).toMatchObject({
        level: 'note',
        found: expect.stringContaining('one server'),
      });
      expect(about('session')).toEqual({
        level: 'note',
        about: 'session',
        found: 'of 90000 ms asked for; the servers grant 400 to 60000 ms',
        advice: expect.stringContaining('60000 ms'),
      });
      expect(about('fences').level).toBe('good');
      expect(about('identity').found).toBe('digest:ann');
      expect(about('tick').level).toBe('missing');
      expect(about('a lock').level).toBe('good');
      expect(code).toBe(0);
    });

    test('a chroot that is not there, and sessions shorter than two ticks, are bad', async () => {
      await using odd = await startZooKeeper({ settings: { tickTime: '2000', minSessionTimeout: '1000' } });
      const { code, about } = await examined(`zookeeper://${odd.address}/none`);
      expect(about('chroot')).toMatchObject({ level: 'bad', found: '/none does not exist' });
      expect(about('tick')).toMatchObject({ level: 'bad', advice: expect.stringContaining('4000 or more') });
      expect(about('identity').level).toBe('note');
      expect(code).toBe(1);
    });

    test('a session that is over before its first answer still shows what is granted', async () => {
      await using hasty = await startZooKeeper({ settings: { minSessionTimeout: '1' } });
      const { about } = await examined(`zookeeper://${hasty.address}`);
      expect(about('session').found).toContain('grant 1 to 60000 ms');
    });

    test('servers that permit no more words than they do by default', async () => {
      await using mute = await startZooKeeper({ settings: { '4lw.commands.whitelist': 'srvr' } });
      const { code, about } = await examined(`zookeeper://${mute.address}`);
      expect(about('version').level).toBe('good');
      expect(about('session')).toMatchObject({ level: 'good' });
      expect(code).toBe(0);
    });

    test('an ensemble: a leader and its followers; one that is down is a note', async () => {
      await using ensemble = await startEnsemble();
      const well = await examined(`zookeeper://${ensemble.address}`);
      expect(well.about('ensemble')).toEqual({
        level: 'good',
        about: 'ensemble',
        found: '3 voting servers: leader, follower, follower',
      });
      expect(well.about('followers').found).toBe('2 of 2 are in step with the leader');
      expect(well.code).toBe(0);
      const part = await examined(`zookeeper://${ensemble.servers[0]!.address}`);
      expect(part.about('ensemble').found).toContain('of which the address names 1');
      await (await ensemble.follower()).kill();
      const hurt = await examined(`zookeeper://${ensemble.address}`);
      expect(hurt.about('reachable')).toMatchObject({
        level: 'note',
        found: expect.stringMatching(/^2 of 3 servers answer \(.*ECONNREFUSED/),
      });
      expect(hurt.about('a lock').level).toBe('good');
      expect(hurt.code).toBe(0);
    });
  });
});
