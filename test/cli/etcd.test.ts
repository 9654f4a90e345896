import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect } from 'holdfast';
import type { EtcdSynchronizers } from 'holdfast/etcd';
import { describeEtcd } from '../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../fixtures/etcd/etcd-server.ts';
import { freePort } from '../fixtures/processes/free-port.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { raiseAlarm } from '../faults/etcd/injections.ts';
import { startCluster } from '../fixtures/etcd/etcd-cluster.ts';
import { Workplace } from './workplace.ts';

describeEtcd('on etcd', { timeout: 60_000 }, () => {
  let server: EtcdServer;
  let place: Workplace;
  let locks: EtcdSynchronizers;

  beforeAll(async () => {
    server = await startEtcd();
    const url = `etcd://${server.address}` as const;
    place = new Workplace(url);
    locks = await connect(url, { sessionMs: 10_000 });
  }, 60_000);

  afterAll(async () => {
    await locks?.close();
    await place?.[Symbol.asyncDispose]();
    await server?.stop();
  }, 60_000);

  test('a hold is listed and inspected, and a waiting run acquires behind it', async () => {
    const hold = await locks.lock('/jobs/nightly').acquire();
    expect((await place.run(['list'])).stdout).toMatch(/^lock +\/jobs\/nightly /m);
    expect((await place.run(['inspect', '/jobs/nightly'])).stdout).toContain('waiting   0 in the fleet');
    const waiting = place.start(['run', '/jobs/nightly', '--json', '--', 'true']);
    await waiting.said('"waiting"');
    await hold.release();
    expect((await waiting.ended).code).toBe(0);
  });

  test('doctor says what it finds, and what is not there', async () => {
    const found = await place.run(['doctor']);
    expect(found.stdout).toMatch(/has a leader/);
    expect(found.stdout).toMatch(/It grants 30000 ms/);
    const [, minor, patch] = /etcd 3\.(\d+)\.(\d+) has a leader/.exec(found.stdout)!.map(Number);
    const isOld = minor! < 4 || (minor === 4 && patch! < 31) || (minor === 5 && patch! < 13);
    expect(found.stdout.includes('was replaced while it hung')).toBe(isOld);
    const nowhere = new Workplace(`etcd://${server.address},127.0.0.1:${await freePort()}`);
    const half = await nowhere.run(['doctor']);
    expect(half.stdout).toMatch(/It does not answer/);
    expect(half.code).not.toBe(0);
    await nowhere[Symbol.asyncDispose]();
  });

  test('doctor says that a session lasts longer than asked for, and that there are no users', async () => {
    await using slow = await startEtcd({
      argv: ['--heartbeat-interval', '200', '--election-timeout', '2000'],
    });
    await using short = new Workplace(`etcd://${slow.address}?sessionMs=1000`);
    const { stdout, code } = await short.run(['doctor']);
    expect(stdout).toMatch(/^note +lease +It grants \d+ ms instead of 1000 ms/m);
    expect(stdout).toMatch(/^note +user +The client has no user/m);
    expect(code).toBe(0);
  });

  test('doctor names the alarm of a database that is full, though the server grants no lease', async () => {
    const disarm = await raiseAlarm(server, server);
    onTestFinished(disarm);
    const { stdout, code } = await place.run(['doctor']);
    expect(stdout).toMatch(/^BAD +\S+ +It reports ".*NOSPACE.*"/m);
    expect(stdout).toMatch(/^BAD +lease +It grants none: .*has reached its quota/m);
    expect(code).not.toBe(0);
  });

  test('doctor says which members are gone, and that the others have no leader', async () => {
    await using cluster = await startCluster();
    const [first, ...others] = cluster.servers;
    for (const other of others) await other.kill();
    const noLeader = async () => (await first!.roles()).leader === '0';
    await waitFor('the member has no leader', noLeader, 30_000);
    await using minority = new Workplace(`etcd://${cluster.address}`);
    const { stdout, code } = await minority.run(['doctor']);
    expect(stdout).toMatch(/^BAD +\S+ +etcd \S+ has no leader/m);
    expect(stdout.match(/It does not answer/g)).toHaveLength(2);
    expect(stdout).toMatch(/^BAD +lease +It grants none/m);
    expect(code).not.toBe(0);
  });

  test('doctor is refused where no member lets it in', async () => {
    await using nowhere = new Workplace(`etcd://127.0.0.1:${await freePort()}`);
    const { stdout, stderr, code } = await nowhere.run(['doctor']);
    expect(stdout).toBe('');
    expect(stderr).toContain('doctor: ');
    expect(code).not.toBe(0);
  });
});
