import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';

const program = fileURLToPath(new URL('../../.build/programs/examples/tour/index.js', import.meta.url));
const TITLES = [
  'A lost update',
  'A fair queue',
  'A crash and the takeover',
  'A stale holder and its fence',
  'A monitor as a bounded queue',
];

describe('the tour, in a hurry and through a pipe', () => {
  let output = '';

  // Rejects if the exit code is not 0, with everything that was printed.
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--quick'], {
      encoding: 'utf8',
    });
    output = stdout;
  }, 120_000);

  test('plays all five scenes, in order', () => {
    const headings = output.split('\n').filter((line) => /^\d\. /.test(line));
    expect(headings).toEqual(TITLES.map((title, at) => `${at + 1}. ${title}`));
    expect(output).toContain('5 of 5 scenes showed what they claim');
  });

  test('claims something in every scene, and nothing that is not so', () => {
    const scenes = output.split(/^\d\. /m).slice(1);
    expect(scenes.filter((scene) => !scene.includes('  ✓ '))).toEqual([]);
    expect(output).not.toContain('✗');
  });

  test('ends with three commands to try next, which there are', () => {
    const commands = [...output.matchAll(/^ {2}npx holdfast (\S+)/gm)].map(([, verb]) => verb);
    expect(commands).toEqual(['run', 'watch', 'doctor']);
    for (const verb of commands) expect(COMMAND_SPECS).toHaveProperty(verb!);
  });

  test('writes plain lines of at most 80 columns', () => {
    expect(output.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(output.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
