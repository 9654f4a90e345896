import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from 'holdfast/sqlite';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

/**
 * `script` gives its command a terminal, and passes on what it is written. It starts a shell for it, which has to give way
 * to the command line: one that stays hears Ctrl-C too, and ends with a code of its own.
 */
const inTerminal = (name: string, line: string, options = '') =>
  place.shell(`exec script -qefc "exec $HF run ${name} ${options} -c '$LINE'" /dev/null`, {
    env: { LINE: line, SHELL: '/bin/sh' },
  });

test('at a terminal the command may read from it', async () => {
  const asking = inTerminal('ask', 'test -t 0 && echo name? && read name && echo hello $name');
  await asking.printed(/name\?/);
  asking.write('ada\n');
  const { code, stdout } = await asking.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('hello ada')]);
});

test('Ctrl-C reaches the command once, and the command decides', async () => {
  const running = inTerminal(
    'interrupt',
    'trap "echo caught; exit 5" INT; echo ready; while :; do sleep 0.02; done',
  );
  await running.printed('ready');
  running.write('\u0003');
  const { code, stdout } = await running.ended;
  expect({ code, said: stdout.replaceAll(/[\r^C]/g, '') }).toEqual({ code: 5, said: 'ready\ncaught\n' });
});

test('Ctrl-C while it waits ends it', async () => {
  const holder = place.start(['run', 'taken', '-c', 'echo in; read line']);
  await holder.printed('in');
  const waiting = inTerminal('taken', 'echo ran', '-v');
  await waiting.printed('waiting for');
  waiting.write('\u0003');
  const { code, stdout } = await waiting.ended;
  expect([code, stdout.includes('ran')]).toEqual([130, false]);
  holder.write('\n');
});

test('TERM to the wrapper reaches the command', async () => {
  const running = inTerminal(
    'term',
    'trap "echo caught; exit 6" TERM; echo wrapper $PPID; while :; do sleep 0.02; done',
  );
  const wrapper = Number((await running.printed(/wrapper \d+/)).slice(8));
  process.kill(wrapper, 'SIGTERM');
  const { code, stdout } = await running.ended;
  expect([code, stdout.match(/caught/g)?.length]).toEqual([6, 1]);
});

test('a lost lock ends the command and what it started, and not the rest of the terminal', async () => {
  const line =
    'trap "" TERM; (trap "" TERM; echo deep $$; while :; do sleep 0.02; done) & echo in; while :; do sleep 0.02; done';
  const running = place.shell(
    `exec script -qefc "$HF run lost --lease 2s -c '$LINE'; echo code \\$?" /dev/null`,
    { env: { LINE: line, SHELL: '/bin/sh' } },
  );
  await running.printed('in');
  const locks = sqlite({ file: place.file('locks.db') });
  try {
    const { owner } = (await locks.lock('lost').holder())!;
    expect(await locks.inspector.forceRelease('lock', 'lost', { owner })).toBe(true);
    const { stdout } = await running.ended;
    expect(stdout).toMatch(/code 76/);
    const marked = await place.shell(`grep -lsa "${owner}" /proc/[0-9]*/environ`).ended;
    expect(marked.stdout).toBe('');
  } finally {
    await locks.close();
  }
});

test('a wait that fails says so at a terminal, with the holder; in a log it does not', async () => {
  const holder = place.start(['run', 'busy', '--name', 'nightly', '-c', 'echo in; read line']);
  await holder.printed('in');
  const [atTerminal, quiet, inLog] = await Promise.all([
    inTerminal('busy', 'echo ran', '-w 100ms').ended,
    inTerminal('busy', 'echo ran', '-w 100ms -q').ended,
    place.run(['run', 'busy', '-w', '100ms', '--', 'true']),
  ]);
  expect([atTerminal.code, quiet.code, inLog.code]).toEqual([75, 75, 75]);
  expect(atTerminal.stdout).toMatch(/not acquired after \S+s; nightly \(.*pid \d+\) has held busy for \S+/);
  expect([quiet.stdout, inLog.stderr]).toEqual(['', '']);
  holder.write('\n');
});
