import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(async () => {
  place = new Workplace();
  await Promise.all(
    ['bash', 'zsh', 'fish'].map(async (shell) => {
      const { stdout } = await place.run(['completion', shell]);
      writeFileSync(place.file(shell), stdout);
    }),
  );
});

afterAll(() => place[Symbol.asyncDispose]());

function outputOf(shell: string, args: readonly string[], input = ''): string {
  const done = spawnSync(programOf(shell), args, {
    input,
    encoding: 'utf8',
    timeout: 25_000,
    env: { ...process.env, TERM: 'dumb' },
  });
  expect(done.stderr).toBe('');
  return done.stdout;
}

/** Another place of a shell can be named, as that of a server. */
const programOf = (shell: string): string => process.env[`HOLDFAST_${shell.toUpperCase()}`] ?? shell;

const isThere = (shell: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(resolve(folder, programOf(shell))));

/** Skipped with the reason where Debian's package is missing; `npm test` installs it if it may. */
const describeShell = (shell: string) => (isThere(shell) ? describe : describe.skip);

describe('bash', () => {
  /** What bash itself would offer, with the words before the cursor. */
  const offered = (...words: readonly string[]): readonly string[] => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = `source ${place.file('bash')}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return outputOf('bash', ['--norc', '-c', script]).trim().split('\n');
  };

  test('verbs, options, values, and behind -- commands', () => {
    expect(offered('holdfast', 'in')).toEqual(['inspect']);
    expect(offered('holdfast', '')).toEqual(expect.arrayContaining(['run', 'list', 'doctor', '--help']));
    expect(offered('holdfast', 'run', 'job', '--min')).toEqual(['--min-hold']);
    expect(offered('holdfast', 'run', 'job', '--on-lost', '')).toEqual(['kill', 'warn']);
    expect(offered('holdfast', 'inspect', 'x', '--as', 'fair')).toEqual(['fair-lock']);
    expect(offered('holdfast', 'schema', 'po')).toEqual(['postgres']);
    expect(offered('holdfast', 'run', 'job', '--', 'bas')).toContain('bash');
    expect(offered('holdfast', 'run', 'job', '--', 'ls', '--no-w')).toEqual(['']);
  });
});

describeShell('zsh')('zsh', () => {
  /** A terminal is needed to ask zsh: its own module gives us one. Waits until this is among what it offers. */
  const offered = (line: string, awaited: string): string =>
    outputOf(
      'zsh',
      ['-f'],
      [
        'zmodload zsh/zpty',
        'zpty shell zsh -f -i',
        `zpty -w shell "autoload -Uz compinit; compinit -D; source ${place.file('zsh')}; PS1=AT''REST"`,
        // Written in another way than it is shown: what is typed is shown as well.
        "zpty -r -m shell seen '*ATREST*'",
        `zpty -w -n shell $'${line}'`,
        `zpty -r -m shell seen '*${awaited}*'`,
        'print -r -- "$seen"',
        'zpty -d shell',
      ].join('\n'),
    );

  test('verbs, options and values', () => {
    expect(offered(String.raw`holdfast \t`, 'watch *--')).toMatch(/run +-- run a command/);
    // One that is the only one is put in place.
    expect(offered(String.raw`holdfast run --min\t`, 'min-hold')).toMatch(/run --min-hold/);
    expect(offered(String.raw`holdfast schema \t`, 'sqlite')).toMatch(/mysql +postgres +sqlite/);
  });
});

describeShell('fish')('fish', () => {
  const offered = (line: string): readonly string[] =>
    outputOf('fish', ['--no-config', '-c', `source ${place.file('fish')}; complete -C '${line}'`])
      .trim()
      .split('\n')
      .map((one) => one.split('\t')[0]!);

  test('verbs, options, values, and behind -- commands', () => {
    expect(offered('holdfast in')).toEqual(['inspect']);
    expect(offered('holdfast ')).toEqual(expect.arrayContaining(['run', 'list', 'doctor']));
    expect(offered('holdfast run job --min')).toEqual(['--min-hold']);
    expect(offered('holdfast run job --on-lost ')).toEqual(['kill', 'warn']);
    expect(offered('holdfast schema ')).toEqual(['mysql', 'postgres', 'sqlite']);
    expect(offered('holdfast run job -- bas')).toContain('bash');
  });
});

test('another shell is 64', async () => {
  expect((await place.run(['completion', 'cmd'])).code).toBe(64);
});
