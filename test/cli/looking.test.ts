import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { sqlite, type SqliteSynchronizers } from 'holdfast/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

let place: Workplace;
let locks: SqliteSynchronizers;

beforeAll(() => {
  place = new Workplace();
  locks = sqlite({ file: place.file('locks.db'), name: 'till-keeper' });
});

afterAll(async () => {
  await locks.close();
  await place[Symbol.asyncDispose]();
});

const json = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('list', () => {
  test('shows nothing, and then what is held, in order, with a prefix or without', async () => {
    expect(await place.run(['list'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    await using one = await locks.lock('orders:1').acquire();
    await using two = await locks.readWriteLock('orders:2').read.acquire();
    await using three = await locks.lock('stock').acquire();
    const { stdout } = await place.run(['list']);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^KIND +NAME +HELD BY +FENCE +LEASE +AGE +WAITING$/);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual([
      ['lock', 'orders:1'],
      ['read-write-lock', 'orders:2'],
      ['lock', 'stock'],
    ]);
    expect(rows[0]).toContain(String(one.fence));
    const some = json((await place.run(['list', 'orders:', '--json'])).stdout);
    expect(some.map(({ name }) => name)).toEqual(['orders:1', 'orders:2']);
    expect(some[1]).toMatchObject({ holders: [{ side: 'read', fence: String(two.fence) }] });
    expect(three.fence > 0n).toBe(true);
  });

  test('a name cannot give orders to a terminal', async () => {
    await using hold = await locks.lock('a\u001b[2Jb\nc').acquire();
    const { stdout } = await place.run(['list', 'a']);
    expect(stdout.split('\n')[1]).toContain(String.raw`a\u001b[2Jb\nc`);
    expect(hold.fence > 0n).toBe(true);
  });
});

describe('inspect and token', () => {
  test('all of a fair lock, for people and for programs', async () => {
    const hold = await locks.fairLock('till').acquire();
    const next = locks.fairLock('till').acquire();
    await expect.poll(() => locks.fairLock('till').waiters()).toBe(1);
    await expect
      .poll(async () => (await place.run(['inspect', 'till'])).stdout, { timeout: 20_000 })
      .toMatch(
        /^fair-lock till\n {2}held by {3}till-keeper \(.+, pid \d+\)\n {4}command .+\n {4}owner {3}[0-9a-f]{32}:\w+\n {4}age {5}\S+\n {4}fence {3}\d+\n {4}lease {3}\S+ left\n[^]* {2}next {6}till-keeper \(.+, pid \d+\), [0-9a-f]{32}:\w+, lapses in \S+\n {2}waiting {3}1 in the fleet\n$/,
      );
    const listed = (await place.run(['list', 'till'])).stdout;
    expect(listed).toMatch(/^fair-lock +till +till-keeper \(.+, pid \d+\) +\d+ +\S+ +\d\S* +1$/m);
    const [seen] = json((await place.run(['inspect', 'till', '--json'])).stdout);
    expect(seen).toMatchObject({ kind: 'fairLock', waiters: { count: 1, counts: 'fleet' } });
    expect((await place.run(['token', 'till'])).stdout).toBe(`${hold.fence}\n`);
    await hold.release();
    await (await next).release();
    expect((await place.run(['token', 'till'])).code).toBe(1);
  });

  test('who waits for a plain lock, of whom any may be next', async () => {
    const hold = await locks.lock('door').acquire();
    const waiting = place.start(['run', 'door', '--json', '--', 'true']);
    await waiting.said('"waiting"');
    await expect
      .poll(async () => (await place.run(['inspect', 'door'])).stdout, { timeout: 20_000 })
      .toMatch(/\n {2}any {7}.*[0-9a-f]{32}:\w+, lapses in \S+\n {2}waiting {3}1 in the fleet\n$/);
    const [seen] = json((await place.run(['inspect', 'door', '--json'])).stdout);
    expect(seen).toMatchObject({ line: { order: 'any', places: [{ program: 'holdfast' }] } });
    await hold.release();
    expect((await waiting.ended).code).toBe(0);
  });

  test('a kind by its name; nothing is 1', async () => {
    const latch = locks.latch('gate');
    await latch.trySetCount(3);
    expect((await place.run(['inspect', 'gate', '--as', 'latch'])).stdout).toContain('count     3');
    expect((await place.run(['inspect', 'gate', '--as', 'lock'])).code).toBe(1);
    expect((await place.run(['inspect', 'no-such-name'])).code).toBe(1);
    const here = await place.run(['inspect', 'gate'], { env: { HOLDFAST_URL: '' } });
    expect(here).toMatchObject({ code: 1, stdout: '' });
    expect(here.stderr, 'an address that was forgotten').toContain('HOLDFAST_URL names another store');
    expect((await place.run(['inspect', 'gate', '--as', 'spoon'])).code).toBe(64);
    expect((await place.run(['inspect'])).code).toBe(64);
  });

  test('names the missing address when the file of this machine cannot be opened', async () => {
    await using own = new Workplace();
    mkdirSync(own.file('holdfast'));
    writeFileSync(
      own.file('holdfast/locks.db'),
      'this is no database, and long enough to be taken for one'.repeat(20),
    );
    const { code, stderr } = await own.run(['inspect', 'order:7'], { env: { HOLDFAST_URL: '' } });
    expect(code).toBe(69);
    expect(stderr).toContain(
      'there is no --url and no HOLDFAST_URL, so holdfast opens a file of this machine\n',
    );
  });

  test('each of the others says what is its own', async () => {
    await using permit = await locks.permitSemaphore('seats', { permits: 5 }).acquire({ permits: 2 });
    await using office = await locks.election('boss').campaign({ value: 'ada' });
    await locks.monitor('stock', { initial: { left: 5 } }).run((m) => m.set({ left: 4 }));
    expect((await place.run(['inspect', 'seats'])).stdout).toContain('available 3 of 5');
    expect((await place.run(['inspect', 'boss'])).stdout).toContain('value     "ada"');
    expect((await place.run(['inspect', 'stock'])).stdout).toContain('state     {"left":4}');
    expect([permit.permits, office.value]).toEqual([2, 'ada']);
  });
});

describe('wait', () => {
  test('until it is free, at once if it is; 75 when the time is over', async () => {
    expect((await place.run(['wait', 'nobody'])).code).toBe(0);
    const hold = await locks.lock('job').acquire();
    const late = await place.run(['wait', 'job', '-w', '100ms']);
    expect([late.code, late.stderr]).toEqual([
      75,
      expect.stringMatching(/job is still held after 100ms: by /),
    ]);
    const waiting = place.start(['wait', 'job']);
    const behind = await place.run(['wait', 'job', '--wait', '1ms']);
    expect(behind.code).toBe(75);
    await hold.release();
    expect((await waiting.ended).code).toBe(0);
  });

  test('the end of a lease that is not renewed', async () => {
    await locks.lock('short').acquire({ leaseMs: 500 });
    expect((await place.run(['wait', 'short', '-w', '10s'])).code).toBe(0);
  });
});

describe('release', () => {
  test('needs consent: a terminal to ask at, or --yes with what was seen', async () => {
    await using hold = await locks.lock('held').acquire();
    expect((await place.run(['release', 'held'])).code).toBe(64);
    expect((await place.run(['release', 'held', '--yes'])).code).toBe(64);
    expect((await place.run(['release', 'held', '--yes', '--fence', '1'])).code).toBe(75);
    expect((await place.run(['release', 'nobody', '--yes', '--fence', '1'])).code).toBe(1);
    hold.throwIfLost();
    expect(await locks.lock('held').isLocked()).toBe(true);
  });

  test('takes away the hold that was seen, and never a newer one', async () => {
    const lock = locks.lock('broken');
    const first = await lock.acquire();
    const fence = String(first.fence);
    expect(await place.run(['release', 'broken', '-y', '--fence', fence])).toMatchObject({
      code: 0,
      stderr: 'holdfast: taken away\n',
    });
    expect(await lock.isLocked()).toBe(false);
    // Of another client: this one does not know yet that it has lost it.
    await using others = sqlite({ file: place.file('locks.db') });
    await using second = await others.lock('broken').acquire();
    expect(second.fence).toBeGreaterThan(first.fence);
    expect((await place.run(['release', 'broken', '-y', '--fence', fence])).code).toBe(75);
    expect(await lock.isLocked()).toBe(true);
  });

  test('of several holders, the one that was meant', async () => {
    const side = locks.readWriteLock('shared').read;
    const holds = [await side.acquire(), await side.acquire()];
    const [seen] = json((await place.run(['inspect', 'shared', '--json'])).stdout);
    const { owner } = (seen as { holders: { owner: string }[] }).holders[0]!;
    expect((await place.run(['release', 'shared', '-y', '--owner', owner])).code).toBe(0);
    const [after] = json((await place.run(['inspect', 'shared', '--json'])).stdout);
    const owners = (after as { holders: { owner: string }[] }).holders.map((holder) => holder.owner);
    expect([owners.length, owners.includes(owner)]).toEqual([1, false]);
    await Promise.allSettled(holds.map((hold) => hold.release()));
  });

  test('asks at a terminal, and takes no answer for no', async () => {
    await using hold = await locks.lock('asked').acquire();
    const ask = () => place.shell('exec script -qefc "$HF release asked" /dev/null');
    const no = ask();
    await no.printed(/Take it away\? \[y\/N\]/);
    no.write('\n');
    expect((await no.ended).code).toBe(1);
    expect(await locks.lock('asked').isLocked()).toBe(true);
    const yes = ask();
    await yes.printed(/Take it away\? \[y\/N\]/);
    yes.write('y\n');
    expect((await yes.ended).code).toBe(0);
    expect(await locks.lock('asked').isLocked()).toBe(false);
    expect(hold.fence > 0n).toBe(true);
  });
});

describe('a time-out behind another process', () => {
  test('names its host and its pid, and not this process', async () => {
    const holder = place.start(['run', 'elsewhere', '-c', 'echo in; read line']);
    await holder.printed('in\n');
    let error: unknown;
    await expect
      .poll(
        async () => {
          error = await locks
            .lock('elsewhere')
            .acquire({ timeoutMs: 100 })
            .catch((one: unknown) => one);
          return (error as Error).message;
        },
        { timeout: 20_000 },
      )
      .toMatch(/^lock "elsewhere" was not acquired within 100 ms: held by \S+ \(pid \d+\) for [\d.]+ m?s\. /);
    expect(error).toMatchObject({ holder: { client: { host: hostname() } } });
    expect((error as { holder: { client: { pid: number } } }).holder.client.pid).not.toBe(process.pid);
    holder.write('\n');
    await holder.ended;
  });
});
