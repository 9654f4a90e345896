import { expect, test } from 'vitest';
import {
  ensembleFinding,
  fenceFinding,
  followersFinding,
  reachableFinding,
  type SeenServer,
  serverFindings,
} from '../../../../src/engines/zookeeper/diagnostics/ensemble-findings.ts';

const saying = (text: string, port = 2181): SeenServer => ({
  server: { host: 'zk', port },
  said: { kind: 'answer', text },
});
const mode = (name: string, zxid = '0x100000002') =>
  saying(`Zookeeper version: 3.8.0-abc, built on\nOutstanding: 0\nZxid: ${zxid}\nMode: ${name}\n`);
const forbidden: SeenServer = { server: { host: 'zk', port: 2181 }, said: { kind: 'forbidden' } };

test('a server that answers "forbidden" is there; the ensemble is known by its configuration', () => {
  expect(reachableFinding([forbidden])).toMatchObject({ level: 'good', found: '1 of 1 servers answer' });
  expect([...serverFindings([forbidden])]).toEqual([]);
  expect(ensembleFinding([forbidden], 1)).toMatchObject({ level: 'good', found: '1 voting servers' });
  expect(ensembleFinding([forbidden], 3).found).toContain('of which the address names 1');
  expect(ensembleFinding([forbidden], 0).found).toContain('one server');
  expect(fenceFinding([forbidden])).toBeUndefined();
  expect(followersFinding([forbidden.said])).toBeUndefined();
});

test('no leader among all servers is bad; an even number is a note', () => {
  const followers = [mode('follower'), mode('follower'), mode('follower')];
  expect(ensembleFinding(followers, 3)).toMatchObject({ level: 'bad' });
  // The leader may be the one that does not tell.
  expect(ensembleFinding([mode('follower'), mode('follower'), forbidden], 3).level).toBe('good');
  expect(ensembleFinding([mode('leader'), mode('follower')], 2).level).toBe('note');
});

test.each([
  ['3.5.9', 'bad'],
  ['3.6.0', 'good'],
  ['3.10.1', 'good'],
  ['4.0.0', 'good'],
])('version %s is %s', (version, level) => {
  const [finding] = [...serverFindings([saying(`Zookeeper version: ${version}-abc, built on x\n`)])];
  expect(finding).toMatchObject({ level, found: `zk:2181 is ZooKeeper ${version}` });
});

test.each([
  ['0x500000012', 'good'],
  ['0x400000000001', 'note'],
  ['0x800000000001', 'bad'],
])('a transaction number %s is %s for fences', (zxid, level) => {
  expect(fenceFinding([mode('leader', zxid)])?.level).toBe(level);
});

test('followers that are behind are a note', () => {
  const said = (inStep: number) =>
    saying(`zk_server_state\tleader\nzk_learners\t2\nzk_synced_followers\t${inStep}\n`).said;
  expect(followersFinding([said(2)])?.level).toBe('good');
  expect(followersFinding([said(1)])?.level).toBe('note');
});
