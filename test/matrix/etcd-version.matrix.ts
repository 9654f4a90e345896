import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeEtcd } from '../fixtures/etcd/describe-etcd.ts';
import { startEtcd } from '../fixtures/etcd/etcd-server.ts';

const bootstrap = readFileSync(new URL('../../scripts/bootstrap/go.mjs', import.meta.url), 'utf8');

describeEtcd('the servers of this run', () => {
  test('are of the version that scripts/bootstrap/go.mjs names, not of Debian', async () => {
    const [, named] = /ETCD_VERSION = 'v([\d.]+)'/.exec(bootstrap)!;
    await using server = await startEtcd();
    expect(await server.ask('maintenance/status')).toMatchObject({ version: named });
  });
});
