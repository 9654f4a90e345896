import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startExample } from './start-example.ts';

test('processes that transfer between two accounts in both directions lose no money and do not deadlock', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-accounts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [ada, ben] = [join(folder, 'ada'), join(folder, 'ben')];
  await Promise.all([ada, ben].map((account) => writeFile(account, '100\n')));
  const env = { HOLDFAST_URL: `sqlite:${join(folder, 'locks.db')}` };
  const ends = await Promise.all([
    startExample('two-accounts', [ada, ben, '30'], env).ended,
    startExample('two-accounts', [ben, ada, '20'], env).ended,
  ]);
  expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  const balances = await Promise.all([ada, ben].map((account) => readFile(account, 'utf8')));
  expect(balances).toEqual(['90\n', '110\n']);
});
