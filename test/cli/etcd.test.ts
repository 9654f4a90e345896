import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from 'holdfast';
import type { EtcdSynchronizers } from 'holdfast/etcd';
import { describeEtcd } from '../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../fixtures/etcd/etcd-server.ts';
import { freePort } from '../fixtures/processes/free-port.ts';
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
});
