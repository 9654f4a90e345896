import { readFileSync } from 'node:fs';
import { sqlite } from 'holdfast/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { Workplace } from './workplace.ts';

/**
 * A command that cannot be ended by TERM, with a child that cannot either and one that has left for a session of its own.
 * Each writes a line every 10 ms, into the same file as the next holder.
 */
const STUBBORN = [
  `trap '' TERM INT HUP`,
  `work() { while :; do echo old >> "$PLACE/log"; sleep 0.01; done; }`,
  `work & setsid sh -c 'trap "" TERM; while :; do echo old >> "$PLACE/log"; sleep 0.01; done' &`,
  'echo in',
  'work',
].join('\n');

/** What the next holder does: it marks its beginning, and gives the old one time to show itself. */
const NEXT = 'echo new >> "$PLACE/log"; sleep 0.3';

function linesAfterNew(place: Workplace): readonly string[] {
  const lines = readFileSync(place.file('log'), 'utf8').split('\n').slice(0, -1);
  expect(lines.filter((line) => line === 'old').length).toBeGreaterThan(5);
  return lines.slice(lines.indexOf('new') + 1);
}

describeRedis.concurrent('the server can no longer be reached', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  afterAll(() => server.stop());

  test('the command and all it started are ended before the next holder is in', async () => {
    await using place = new Workplace(server.url);
    const proxy = await startTcpProxy(server);
    try {
      const options = ['--lease', '3s', '--kill-after', '500ms', '--json'];
      const old = place.start(['run', 'job', ...options, '--url', proxy.url, '-c', STUBBORN]);
      await old.printed('in');
      const next = place.start(['run', 'job', '--json', '-c', NEXT]);
      await next.said('"waiting"');
      await waitFor('the old one is at work', () => readFileSync(place.file('log'), 'utf8').length > 40);
      proxy.blackHole();
      const { code, stderr } = await old.ended;
      expect(code).toBe(76);
      const events = stderr.match(/"event":"[a-z-]+"/g)?.map((event) => event.slice(9, -1));
      expect(events).toEqual(expect.arrayContaining(['losing', 'killed', 'ended']));
      expect(await next.ended).toMatchObject({ code: 0 });
      expect(linesAfterNew(place)).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });

  test('a command that heeds TERM gets the time to, and the exit code is 76 all the same', async () => {
    await using place = new Workplace(server.url);
    const proxy = await startTcpProxy(server);
    try {
      const line = `trap 'echo tidied; exit 0' TERM; echo in; while :; do sleep 0.02; done`;
      const old = place.start(['run', 'tidy', '--lease', '3s', '--url', proxy.url, '-c', line]);
      await old.printed('in');
      proxy.blackHole();
      const { code, stdout, stderr } = await old.ended;
      expect([code, stdout]).toEqual([76, 'in\ntidied\n']);
      expect(stderr).toMatch(/was not renewed and ends in .*: the command gets TERM now/);
    } finally {
      await proxy.stop();
    }
  });

  test('--on-lost warn says so, and lets it go on', async () => {
    await using place = new Workplace(server.url);
    const proxy = await startTcpProxy(server);
    try {
      const line = 'echo in; read line; exit 5';
      const old = place.start([
        'run',
        'warned',
        '--lease',
        '1s',
        '--on-lost',
        'warn',
        '--url',
        proxy.url,
        '-c',
        line,
      ]);
      await old.printed('in');
      proxy.blackHole();
      await old.said(/lost \(expired\): the command goes on/);
      await proxy.heal();
      old.write('\n');
      expect((await old.ended).code).toBe(5);
    } finally {
      await proxy.stop();
    }
  });

  test('who waits goes on waiting when the server is away for a while', async () => {
    await using place = new Workplace(server.url);
    const proxy = await startTcpProxy(server);
    try {
      // A process that gets no time for a second must not lose it here: the next one would not wait.
      const holder = place.start(['run', 'away', '--lease', '5s', '-c', 'echo in; read line']);
      await holder.printed('in');
      const waiting = place.start(['run', 'away', '--json', '--url', proxy.url, '--', 'echo', 'got it']);
      await waiting.said('"waiting"');
      proxy.refuse();
      proxy.reset();
      // It is asked again when the lease that was seen is over, and an answer is waited for twice.
      await waiting.said('"trouble"');
      await proxy.heal();
      holder.write('\n');
      expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'got it\n' });
    } finally {
      await proxy.stop();
    }
  });

  test('a release that fails is reported, and the code of the command is kept', async () => {
    await using place = new Workplace(server.url);
    const proxy = await startTcpProxy(server);
    try {
      const old = place.start(['run', 'kept', '--url', proxy.url, '-c', 'echo in; read line; exit 5']);
      await old.printed('in');
      proxy.blackHole();
      old.write('\n');
      const { code, stderr } = await old.ended;
      expect([code, stderr]).toEqual([5, expect.stringMatching(/^holdfast: was not released/)]);
    } finally {
      await proxy.stop();
    }
  });
});

describe.concurrent('on this machine', () => {
  test('a hold that was taken away: TERM at the next renewal, KILL, 76', async () => {
    await using place = new Workplace();
    const options = ['--lease', '2s', '--kill-after', '100ms'];
    const old = place.start(['run', 'job', ...options, '-c', STUBBORN]);
    await old.printed('in');
    const locks = sqlite({ file: place.file('locks.db') });
    try {
      const { owner } = (await locks.lock('job').holder())!;
      expect(await locks.inspector.forceRelease('lock', 'job', { owner })).toBe(true);
    } finally {
      await locks.close();
    }
    const { code, stderr } = await old.ended;
    expect(code).toBe(76);
    expect(stderr).toMatch(/lost \(gone\): holdfast ends the command\n[^]*was killed/);
    expect((await place.run(['run', 'job', '-n', '-c', NEXT])).code).toBe(0);
    expect(linesAfterNew(place)).toEqual([]);
  });

  test('a run inside a run: the command of the inner one is ended with the outer lock', async () => {
    await using place = new Workplace();
    const inner = `trap '' TERM; echo in $$; while :; do sleep 0.02; done`;
    const options = ['--lease', '2s', '--kill-after', '100ms'];
    const outer = place.shell(`exec $HF run outer ${options.join(' ')} -- $HF run inner -c "$INNER"`, {
      env: { INNER: inner },
    });
    const pid = Number((await outer.printed(/in \d+/)).slice(3));
    const locks = sqlite({ file: place.file('locks.db') });
    try {
      const { owner } = (await locks.lock('outer').holder())!;
      expect(await locks.inspector.forceRelease('lock', 'outer', { owner })).toBe(true);
    } finally {
      await locks.close();
    }
    expect((await outer.ended).code).toBe(76);
    // Dead, if not yet taken note of by the process that has inherited it: then its environment is empty.
    expect((await place.shell(`cat /proc/${pid}/environ`).ended).stdout).toBe('');
  });

  test('a wrapper that stood still for longer than its lease kills at once when it goes on', async () => {
    await using place = new Workplace();
    const line = 'echo in $$; exec sleep 60';
    const old = place.start(['run', 'still', '--lease', '2s', '-c', line]);
    const pid = Number((await old.printed(/in \d+/)).slice(3));
    old.kill('SIGSTOP');
    const next = await place.run(['run', 'still', '-c', 'echo "$HOLDFAST_FENCE"']);
    expect(next.code).toBe(0);
    // What was alive meanwhile is what a fence is for.
    expect(process.kill(pid, 0)).toBe(true);
    old.kill('SIGCONT');
    expect((await old.ended).code).toBe(76);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
