import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { aheadOf } from '../../bench/ahead.ts';
import { ask } from '../../bench/ask.ts';
import { promiseLine } from '../../bench/page/promise-line.ts';
import type { Trial } from '../../bench/trial.ts';
import { trials } from '../../bench/trials.ts';
import { isBroken, verdictLine, verdictsOf } from '../../bench/verdict.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-crash-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a contestant that crashes rejects the question that it was asked, and each later one', async () => {
  const path = join(folder, 'crashing.mjs');
  writeFileSync(path, "process.on('message', (code) => process.exit(code));");
  const contestant = fork(path);

  await expect(ask(contestant, 3)).rejects.toThrow('a contestant ended with 3');
  await expect(ask(contestant, 3)).rejects.toThrow('a contestant ended with 3');
});

test('a contestant that is killed is named by its signal', async () => {
  const path = join(folder, 'killed.mjs');
  writeFileSync(path, "process.on('message', (signal) => process.kill(process.pid, signal));");

  await expect(ask(fork(path), 'SIGKILL')).rejects.toThrow('a contestant ended with SIGKILL');
});

test('a promise is broken if a contestant of it crashed, and the others are judged', () => {
  const promises = [
    aheadOf('ours', ['theirs'], 'pairs/s', 'more'),
    aheadOf('ours', ['other'], 'pairs/s', 'more'),
  ];
  const trial = { ...(trials[0] as Trial), promises };
  const series = [
    { contestant: 'ours', rounds: [{ 'pairs/s': 20 }] },
    { contestant: 'theirs', rounds: [{ 'pairs/s': 10 }] },
  ];
  const crashed = [{ contestant: 'other', why: 'Error: a contestant ended with 3' }];
  const verdicts = verdictsOf(trial, { trial: trial.name, engine: trial.engine, series, crashed });

  expect(verdicts.map(({ kept }) => kept)).toEqual([true, false]);
  expect(verdicts.map(isBroken)).toEqual([false, true]);
  expect(verdictLine(verdicts[1]!)).toMatch(/^FAIL .*other: other crashed$|^FAIL .*: other crashed$/);
  expect(promiseLine(verdicts[1]!)).toMatch(/and other crashed: \*\*not kept\*\*$/);
});
