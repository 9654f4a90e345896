import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandOf } from '../../src/core/announcing/process-card.ts';

const TELL =
  'console.log(JSON.stringify({ argv: process.argv, execArgv: process.execArgv, execPath: process.execPath }))';
const SECRET = 'redis://:s3cret@host/s3cret';
const NODE = basename(process.execPath);

/** The command of a real process, started with these arguments. */
function commandWith(args: readonly string[], input = ''): string {
  const told = execFileSync(process.execPath, args, { encoding: 'utf8', input });
  return commandOf(JSON.parse(told.split('\n')[0]!) as Parameters<typeof commandOf>[0]);
}

describe('the command of a process', () => {
  test('is the file name of its script', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-card-'));
    try {
      writeFileSync(join(folder, 'server.cjs'), TELL);
      expect(commandWith([join(folder, 'server.cjs'), SECRET])).toBe('server.cjs');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const options of [
    ['-e', TELL],
    ['--eval', TELL],
    [`--eval=${TELL}`],
    ['-p', TELL],
    ['-pe', TELL],
    ['--print', TELL],
  ])
    test(`is Node and no argument of the user with ${options[0]!.slice(0, 7)}`, () => {
      for (const argument of [SECRET, '/run/s3cret']) {
        const told = commandWith([...options, argument]);
        expect(told).toBe(NODE);
      }
    });

  test('is Node for a program that it reads from its input', () => {
    expect(commandWith(['-', SECRET], TELL)).toBe(NODE);
  });
});
