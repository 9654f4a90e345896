import { constants } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../fixtures/wait-for.ts';
import { Workplace } from './workplace.ts';

const SIGNALS = ['INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'USR2'] as const;
const codeOf = (signal: string): number => 128 + constants.signals[`SIG${signal}` as NodeJS.Signals];

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

/**
 * A command with a child of its own, and both trap the signal. The child is not sent to the background, because there a
 * shell ignores INT and QUIT for it.
 */
const trapping = (signal: string): string =>
  `trap 'echo command; exit 9' ${signal}; sh -c "trap 'echo child; exit 0' ${signal}; echo ready; while :; do sleep 0.02; done"`;

describe('while the command runs, it and what it started get', () => {
  test.each(SIGNALS)('%s, and the command decides about the exit code', async (signal) => {
    const running = place.start(['run', `trap-${signal}`, '-c', trapping(signal)]);
    await running.printed('ready');
    running.kill(`SIG${signal}`);
    const { code, stdout } = await running.ended;
    expect([code, stdout]).toEqual([9, 'ready\nchild\ncommand\n']);
  });

  test.each(SIGNALS)('%s, and one that has no trap dies by it', async (signal) => {
    const line = 'ulimit -c 0; echo ready; exec sleep 60';
    const running = place.start(['run', `die-${signal}`, '-c', line]);
    await running.printed('ready');
    running.kill(`SIG${signal}`);
    expect((await running.ended).code).toBe(codeOf(signal));
    expect((await place.run(['run', `die-${signal}`, '-n', '--', 'true'])).code).toBe(0);
  });
});

describe('while it waits', () => {
  // hashicorp/consul#4439: signals ignored while waiting.
  test.each(SIGNALS)('%s ends it, leaves no ticket in line, and never starts the command', async (signal) => {
    const name = `wait-${signal}`;
    const holder = place.start(['run', name, '--fair', '-c', 'echo in; read line']);
    await holder.printed('in');
    const waiting = place.start(['run', name, '--fair', '-v', '--', 'echo', 'ran']);
    await waiting.said('waiting for');
    waiting.kill(`SIG${signal}`);
    const { code, stdout } = await waiting.ended;
    expect([code, stdout]).toEqual([codeOf(signal), '']);
    const { waiters } = JSON.parse((await place.run(['inspect', name, '--json'])).stdout);
    expect(waiters.count).toBe(0);
    holder.write('\n');
    expect((await holder.ended).code).toBe(0);
  });
});

test('a command that outlives TERM keeps the lock: no other acquires meanwhile', async () => {
  const line = `trap '' TERM; echo in; while [ ! -e "$PLACE/go" ]; do sleep 0.02; done; echo done`;
  const stubborn = place.start(['run', 'stubborn', '-c', line]);
  await stubborn.printed('in');
  const next = place.start(['run', 'stubborn', '--json', '--', 'echo', 'next']);
  await next.said('"waiting"');
  stubborn.kill('SIGTERM');
  const { code: conflict } = await place.run(['run', 'stubborn', '-n', '--', 'true']);
  expect([conflict, next.stdout]).toEqual([75, '']);
  expect((await place.run(['run', 'other', '-c', ': > "$PLACE/go"'])).code).toBe(0);
  expect(await stubborn.ended).toMatchObject({ code: 0, stdout: 'in\ndone\n' });
  expect(await next.ended).toMatchObject({ code: 0, stdout: 'next\n' });
});

describe('a wrapper that is killed by KILL', () => {
  test('leaves its command behind, and the next waiter acquires at once: the file proves its death', async () => {
    const line = 'echo in $$; exec sleep 60';
    const killed = place.start(['run', 'killed', '-c', line]);
    const orphan = Number((await killed.printed(/in \d+/)).slice(3));
    const next = place.start(['run', 'killed', '--json', '--', 'echo', 'next']);
    await next.said('"waiting"');
    try {
      killed.kill('SIGKILL');
      // The lease has half a minute to go; the deadline of a test is shorter.
      expect(await next.ended).toMatchObject({ code: 0, stdout: 'next\n' });
      expect(process.kill(orphan, 0)).toBe(true);
    } finally {
      process.kill(orphan, 'SIGKILL');
    }
    await killed.ended;
  });

  test('takes its command along if that has to die with its parent', async () => {
    const line = 'echo in $$; exec setpriv --pdeathsig KILL sleep 60';
    const killed = place.start(['run', 'bound', '-c', line]);
    const command = Number((await killed.printed(/in \d+/)).slice(3));
    const isSleeping = async (): Promise<boolean> => {
      const { stdout } = await place.shell(`cat /proc/${command}/comm`).ended;
      return stdout === 'sleep\n';
    };
    await waitFor('the command is bound', isSleeping);
    killed.kill('SIGKILL');
    await waitFor('the command is gone', async () => !(await isSleeping()));
    expect((await killed.ended).signal).toBe('SIGKILL');
  });
});
