import { dashboard, type Dashboard, type DashboardOptions } from 'holdfast/dashboard';
import { memory } from 'holdfast/memory';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { EngineError } from '../../src/index.ts';
import type { SentDescription, SentSighting } from '../../src/dashboard/frames.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { FrameStream } from './frame-stream.ts';

// Thousands of locks, or several servers, on cores that are shared with many other tests.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const TOKEN = 'a-token-of-some-length';

let locks: ReturnType<typeof memory>;

beforeEach(() => {
  locks = memory();
});

afterEach(() => locks.close());

function open(options: DashboardOptions = {}): Dashboard {
  const board = dashboard(locks, { everyMs: 100, ...options });
  onTestFinished(() => board.close());
  return board;
}

const ask = (board: Dashboard, path: string, init?: RequestInit) =>
  board(new Request(`http://localhost${path}`, init));

const view = async (board: Dashboard, headers: Record<string, string> = {}) =>
  new FrameStream(await ask(board, '/events', { headers }));

interface Snapshot {
  readonly engine: string;
  readonly release: string;
  readonly rows: readonly SentSighting[];
}

const snapshot = async (board: Dashboard) => (await (await ask(board, '/snapshot')).json()) as Snapshot;

describe('the page', () => {
  test('comes with a policy that lets nothing inline run, and with nothing of another server', async () => {
    const answer = await ask(open(), '/');
    expect(answer.status).toBe(200);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const html = await answer.text();
    expect(html).not.toMatch(/https?:|<style|style=|<script(?! type="module" src="app\.js"><)| on\w+=/);
  });

  test('has its files as gzip, once, and plain for a client without gzip', async () => {
    const board = open();
    const zipped = await ask(board, '/app.js', { headers: { 'accept-encoding': 'br, gzip' } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.headers.get('content-type')).toContain('text/javascript');
    const plain = await ask(board, '/app.js');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect((await plain.text()).length).toBeGreaterThan((await zipped.arrayBuffer()).byteLength);
    for (const encoding of ['gzip;q=0', 'gzip; q=0.0, br', 'x-gzip-not', 'identity']) {
      const refused = await ask(board, '/app.js', { headers: { 'accept-encoding': encoding } });
      expect(refused.headers.get('content-encoding'), encoding).toBeNull();
    }
    const weighed = await ask(board, '/app.js', {
      headers: { 'accept-encoding': 'br;q=1.0, gzip;q=0.8, *;q=0.1' },
    });
    expect(weighed.headers.get('content-encoding')).toBe('gzip');
    const etag = zipped.headers.get('etag')!;
    expect((await ask(board, '/app.js', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await ask(board, '/icon.svg')).headers.get('content-type')).toBe('image/svg+xml');
  });

  test('is under its path only, and leads there from the path without a slash', async () => {
    const board = open({ basePath: '/internal/locks' });
    const moved = await ask(board, '/internal/locks');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, 'locks/']);
    expect((await ask(board, '/internal/locks/')).status).toBe(200);
    for (const path of ['/', '/internal/locksmith/', '/internal/locks/../x', '/internal/locks/nothing'])
      expect((await ask(board, path)).status, path).toBe(404);
    expect((await ask(board, '/internal/locks/', { method: 'POST' })).status).toBe(405);
    expect((await ask(board, '/internal/locks/release')).status).toBe(405);
  });

  test('refuses another host name than its own', async () => {
    const board = open({ hosts: ['localhost', '[::1]'] });
    const statusAt = async (host: string) => (await ask(board, '/snapshot', { headers: { host } })).status;
    expect(await statusAt('localhost:4765')).toBe(200);
    expect(await statusAt('[::1]:4765')).toBe(200);
    expect(await statusAt('evil.example')).toBe(421);
  });

  test('shows no data to a page of another site, which could not read it, but would make the store work', async () => {
    const board = open();
    const statusAt = async (path: string, site: string) => {
      const answer = await ask(board, path, { headers: { 'sec-fetch-site': site } });
      await answer.body?.cancel();
      return answer.status;
    };
    for (const path of ['/snapshot', '/events', '/details?kind=lock&name=a']) {
      expect([await statusAt(path, 'cross-site'), await statusAt(path, 'same-site')]).toEqual([403, 403]);
      expect([await statusAt(path, 'same-origin'), await statusAt(path, 'none')]).toEqual([200, 200]);
    }
    // A link to the page leads there.
    expect(await statusAt('/', 'cross-site')).toBe(200);
    expect((await ask(board, '/')).headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  test('shows nothing without the token for viewing', async () => {
    const board = open({ viewToken: TOKEN });
    expect((await ask(board, '/')).status).toBe(200);
    for (const path of ['/snapshot', '/events', '/details?kind=lock&name=a'])
      expect((await ask(board, path)).status, path).toBe(401);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await ask(board, '/snapshot', { headers })).status).toBe(200);
  });

  test('ends holds with the token for viewing, if that is the token for both', async () => {
    await locks.lock('a').acquire();
    const board = open({ viewToken: TOKEN, allowRelease: { token: TOKEN } });
    const headers = { 'x-holdfast-release': '1', authorization: `Bearer ${TOKEN}` };
    const { rows } = (await (await ask(board, '/snapshot', { headers })).json()) as Snapshot;
    const { owner, fence } = rows[0]!.holders[0]!;
    const query = new URLSearchParams({ kind: 'lock', name: 'a', owner, fence: fence! }).toString();
    expect((await ask(board, `/release?${query}`, { method: 'POST', headers })).status).toBe(200);
  });
});

describe('a snapshot', () => {
  test('has all holds, with fences as texts and leases without an end as null', async () => {
    await using hold = await locks.lock('orders:7').acquire();
    const { engine, release, rows } = await snapshot(open());
    expect([engine, release]).toEqual([locks.label, 'no']);
    expect(rows).toMatchObject([
      {
        kind: 'lock',
        name: 'orders:7',
        holders: [{ fence: String(hold.fence), program: 'holdfast', count: 1 }],
      },
    ]);
    expect(rows[0]!.holders[0]!.remainingMs).toBeGreaterThan(0);
  });

  test('has only names with the prefix, in every route', async () => {
    await using one = await locks.lock('orders:7').acquire();
    await using two = await locks.lock('secret').acquire();
    expect([one.fence, two.fence].every((fence) => fence > 0n)).toBe(true);
    const board = open({ prefix: 'orders:', allowRelease: { token: TOKEN } });
    expect((await snapshot(board)).rows.map(({ name }) => name)).toEqual(['orders:7']);
    expect((await ask(board, '/details?kind=lock&name=secret')).status).toBe(404);
    expect((await ask(board, '/release?kind=lock&name=secret', { method: 'POST' })).status).toBe(404);
    expect((await view(board)).frames).toEqual([]);
  });
});

describe('details', () => {
  const details = async (kind: string, name: string) =>
    (await (await ask(open(), `/details?kind=${kind}&name=${name}`)).json()) as SentDescription | null;

  test('have the line of a fair lock in its order', async () => {
    const lock = locks.fairLock('till');
    const hold = await lock.acquire();
    const waiting = [lock.acquire()];
    await waitFor('one waits', async () => (await lock.waiters()) === 1);
    waiting.push(lock.acquire());
    await waitFor('two wait', async () => (await lock.waiters()) === 2);
    const seen = await details('fairLock', 'till');
    expect.assert(seen?.line.order === 'turns');
    expect(seen.line.places).toHaveLength(2);
    const first = seen.line.places[0]?.owner;
    await hold.release();
    await using next = await waiting[0]!;
    expect((await details('fairLock', 'till'))?.holders[0]?.owner).toBe(first);
    expect(next.fence > hold.fence).toBe(true);
    void waiting[1]!.then((last) => last.release());
  });

  test('have nothing that users have published', async () => {
    await locks
      .monitor('stock', { initial: { password: 'hunter2' } })
      .run((m) => m.set({ password: 'hunter3' }));
    await using office = await locks.election('boss').campaign({ value: 'hunter4' });
    const seen = [await details('monitor', 'stock'), await details('election', 'boss')];
    expect(JSON.stringify(seen)).not.toContain('hunter');
    expect([seen[0]?.conditions, office.value]).toEqual([{}, 'hunter4']);
  });

  test('of nothing are null, and of no kind a bad request', async () => {
    expect(await details('lock', 'free')).toBeNull();
    expect((await ask(open(), '/details?kind=spoon&name=a')).status).toBe(400);
    expect((await ask(open(), '/details?kind=__proto__&name=a')).status).toBe(400);
  });
});

describe('the stream', () => {
  test('shows a grant, what changes of it, and its end', async () => {
    const stream = await view(open());
    const hold = await locks.lock('orders:7').acquire();
    const row = await stream.shows('orders:7');
    expect(row.holders[0]!.fence).toBe(String(hold.fence));
    await hold.extend(120_000);
    await waitFor('the lease', () =>
      stream.frames.some(({ event, data }) => event === 'some' && data.leases.some(([id]) => id === row.id)),
    );
    await hold.release();
    await stream.hides('orders:7');
    await stream.close();
  });

  test('gives a later page everything at once', async () => {
    const board = open();
    const first = await view(board);
    await using hold = await locks.lock('orders:7').acquire();
    await first.shows('orders:7');
    const second = await view(board);
    expect((await second.shows('orders:7')).holders[0]!.fence).toBe(String(hold.fence));
    expect(second.frames[0]!.event).toBe('all');
    await Promise.all([first.close(), second.close()]);
  });

  test('asks the store once for all pages, and not at all without one', async () => {
    let looks = 0;
    const { inspector } = locks;
    const counted = {
      label: 'counted',
      inspector: {
        ...inspector,
        list: (options?: { prefix?: string }) => {
          looks++;
          return inspector.list(options);
        },
      },
    };
    const board = dashboard(counted, { everyMs: 100 });
    expect(looks).toBe(0);
    const streams = await Promise.all(Array.from({ length: 10 }, () => view(board)));
    await waitFor('every page has everything', () => streams.every(({ frames }) => frames.length > 0));
    expect(looks).toBeLessThan(10);
    expect(board.viewers).toBe(10);
    for (const stream of streams) await stream.close();
    await waitFor('no page views', () => board.viewers === 0);
    // A look may be under way; after it there is none, however long the test would wait.
    await waitFor('the looks end', async () => {
      const before = looks;
      await new Promise((resolve) => setTimeout(resolve, 400));
      return looks === before;
    });
    const again = await view(board);
    await waitFor('it begins anew', () => again.frames.length > 0);
    await again.close();
    board.close();
  });

  test('says that the store does not answer without a word of the error, and goes on when it does', async () => {
    let isAway = false;
    const { inspector } = locks;
    const failing = {
      label: 'away',
      inspector: {
        ...inspector,
        list: (options?: { prefix?: string }) => {
          if (!isAway) return inspector.list(options);
          throw new EngineError(
            'redis://:hunter2@cache refuses',
            { resource: 'inspector', engine: 'away' },
            { retryable: true },
          );
        },
      },
    };
    const board = dashboard(failing, { everyMs: 100 });
    const stream = await view(board);
    await waitFor('the first frame', () => stream.frames.length > 0);
    isAway = true;
    await waitFor('trouble', () => stream.trouble === 'ENGINE');
    const { status, text } = await ask(board, '/snapshot').then(async (answer) => ({
      status: answer.status,
      text: await answer.text(),
    }));
    expect([status, text]).toEqual([503, '{"code":"ENGINE"}']);
    isAway = false;
    await waitFor('no trouble', () => stream.trouble === undefined);
    expect(JSON.stringify(stream.frames)).not.toContain('hunter2');
    board.close();
    await waitFor('the stream ends', () => stream.isOver);
  });

  test('replaces what a slow page has missed by everything', async () => {
    const board = open();
    const answer = await ask(board, '/events');
    const fast = await view(board);
    await waitFor('the first frame', () => fast.frames.length > 0);
    const holds = [];
    // More than a viewer may have waiting for it, while the page does not read.
    for (let round = 0; round < 6; round++) {
      const name = (at: number) => `${'x'.repeat(400)}:${round}:${at}`;
      const taken = await Promise.all(Array.from({ length: 400 }, (_, at) => locks.lock(name(at)).acquire()));
      holds.push(...taken);
      await fast.shows(name(399));
    }
    const slow = new FrameStream(answer);
    await waitFor('the slow page has it all', () => slow.rows.size === holds.length);
    expect(slow.frames.filter(({ event }) => event === 'all').length).toBeGreaterThan(1);
    await Promise.all(holds.map((hold) => hold.release()));
    await waitFor('both see the end', () => slow.rows.size + fast.rows.size === 0);
    await Promise.all([slow.close(), fast.close()]);
  });
});

describe('a release by force', () => {
  const MARKED = { 'x-holdfast-release': '1' };
  const OWN = { ...MARKED, 'sec-fetch-site': 'same-origin', authorization: `Bearer ${TOKEN}` };

  async function seen(board: Dashboard, name: string) {
    const { rows } = await snapshot(board);
    const { kind, holders } = rows.find((row) => row.name === name)!;
    const { owner, fence = 'none' } = holders[0]!;
    return `/release?${new URLSearchParams({ kind, name, owner, fence }).toString()}`;
  }

  const post = async (board: Dashboard, path: string, headers: Record<string, string>) => {
    const answer = await ask(board, path, { method: 'POST', headers });
    return [answer.status, await answer.json()];
  };

  test('is refused by a page that only reads', async () => {
    await using hold = await locks.lock('a').acquire();
    const board = open();
    expect(await post(board, await seen(board, 'a'), OWN)).toEqual([403, { code: 'READ_ONLY' }]);
    hold.throwIfLost();
  });

  test('works once, with the token, and the holder hears of it', async () => {
    const hold = await locks.lock('a').acquire();
    const board = open({ allowRelease: { token: TOKEN } });
    const path = await seen(board, 'a');
    expect(await post(board, path, OWN)).toEqual([200, { released: true }]);
    expect(hold.lost.aborted).toBe(true);
    expect(await post(board, path, OWN)).toEqual([409, { released: false }]);
  });

  test('never ends a newer hold than the one that was seen', async () => {
    const board = open({ allowRelease: { token: TOKEN } });
    const first = await locks.lock('a').acquire();
    const path = await seen(board, 'a');
    await first.release();
    await using second = await locks.lock('a').acquire();
    expect(await post(board, path, OWN)).toEqual([409, { released: false }]);
    const withoutFence = path
      .replace(/fence=\d+/, 'fence=none')
      .replace(/owner=[^&]+/, (await seen(board, 'a')).match(/owner=[^&]+/)![0]);
    expect(await post(board, withoutFence, OWN)).toEqual([409, { released: false }]);
    second.throwIfLost();
  });

  test('asks for the fence besides the owner, who may have acquired it again', async () => {
    const board = open({ allowRelease: { token: TOKEN } });
    await using hold = await locks.lock('a').acquire();
    const path = (await seen(board, 'a')).replace(/fence=\d+/, `fence=${hold.fence - 1n}`);
    expect(await post(board, path, OWN)).toEqual([409, { released: false }]);
    hold.throwIfLost();
  });

  test.each([
    ['no token', { ...OWN, authorization: '' }, 401],
    ['another token', { ...OWN, authorization: 'Bearer another-token-of-length' }, 401],
    ['another site', { ...OWN, 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of the host', { ...OWN, 'sec-fetch-site': 'same-site' }, 403],
    ['an address that was typed', { ...OWN, 'sec-fetch-site': 'none' }, 403],
    ['no mark, as a form', { 'sec-fetch-site': 'same-origin', authorization: `Bearer ${TOKEN}` }, 403],
    [
      'an older browser on another site',
      { ...MARKED, origin: 'http://evil.example', authorization: `Bearer ${TOKEN}` },
      403,
    ],
    ['a sandboxed page', { ...MARKED, origin: 'null', authorization: `Bearer ${TOKEN}` }, 403],
  ])('is refused with %s', async (_what, headers, status) => {
    await using hold = await locks.lock('a').acquire();
    const board = open({ allowRelease: { token: TOKEN } });
    expect((await post(board, await seen(board, 'a'), headers))[0]).toBe(status);
    hold.throwIfLost();
  });

  test.each(['fence=', 'fence=abc', 'owner=', 'fence=1e3', 'kind=latch'])(
    'is refused with %s',
    async (part) => {
      await using hold = await locks.lock('a').acquire();
      const board = open({ allowRelease: { token: TOKEN } });
      const path = (await seen(board, 'a')).replace(new RegExp(`${part.split('=')[0]}=[^&]+`), part);
      expect((await post(board, path, OWN))[0]).toBe(400);
      hold.throwIfLost();
    },
  );

  test('works for a program with the token, which sends no origin', async () => {
    const hold = await locks.lock('a').acquire();
    const board = open({ allowRelease: { token: TOKEN } });
    const headers = { ...MARKED, authorization: `Bearer ${TOKEN}` };
    expect((await post(board, await seen(board, 'a'), headers))[0]).toBe(200);
    expect(hold.lost.aborted).toBe(true);
  });

  test('asks the application, which sees the request', async () => {
    const hold = await locks.lock('a').acquire();
    const authorize = (request: Request) => request.headers.get('cookie') === 'session=operator';
    const board = open({ allowRelease: { authorize } });
    expect((await snapshot(board)).release).toBe('session');
    const path = await seen(board, 'a');
    const own = { ...MARKED, 'sec-fetch-site': 'same-origin' };
    expect(await post(board, path, own)).toEqual([403, { code: 'NOT_ALLOWED' }]);
    // A session goes along with what another site sends: without a word of where it comes from, it is refused.
    expect((await post(board, path, { ...MARKED, cookie: 'session=operator' }))[0]).toBe(403);
    hold.throwIfLost();
    expect((await post(board, path, { ...own, cookie: 'session=operator' }))[0]).toBe(200);
  });

  test('says nothing of what went wrong in the application', async () => {
    await using hold = await locks.lock('a').acquire();
    const authorize = () => Promise.reject(new Error('postgres://:hunter2@sessions refuses'));
    const board = open({ allowRelease: { authorize } });
    const own = { ...MARKED, 'sec-fetch-site': 'same-origin' };
    expect(await post(board, await seen(board, 'a'), own)).toEqual([500, { code: 'UNKNOWN' }]);
    hold.throwIfLost();
  });

  test('does not take a truthy answer of the application for a yes', async () => {
    await using hold = await locks.lock('a').acquire();
    const authorize = (() => ({ user: null })) as unknown as () => boolean;
    const board = open({ allowRelease: { authorize } });
    expect(
      (await post(board, await seen(board, 'a'), { ...MARKED, 'sec-fetch-site': 'same-origin' }))[0],
    ).toBe(403);
    hold.throwIfLost();
  });
});

describe('options', () => {
  test.each([
    [{ allowRelease: undefined }, /allowRelease/],
    [{ allowRelease: true }, /allowRelease/],
    [{ allowRelease: {} }, /allowRelease\.token/],
    [{ allowRelease: { token: 'short' } }, /allowRelease\.token/],
    [{ allowRelease: { token: undefined } }, /allowRelease\.token/],
    [{ allowRelease: { authorize: true } }, /authorize/],
    [{ allowRelease: { token: undefined, authorize: () => true } }, /not both/],
    [{ allowRelease: { token: TOKEN, authorize: () => true } }, /not both/],
    [{ allowRelease: { token: TOKEN, authorise: () => true } }, /no option "authorise"/],
    [{ viewToken: undefined }, /viewToken/],
    [{ viewToken: TOKEN, allowRelease: { token: `${TOKEN}-2` } }, /must be the same/],
    [{ basePath: 'locks' }, /basePath/],
    [{ basePath: '/locks/' }, /basePath/],
    [{ everyMs: 1 }, /everyMs/],
    [{ hosts: 'localhost' }, /hosts/],
    [{ allowrelease: { token: TOKEN } }, /no option "allowrelease"/],
  ])('%j are refused', (options, message) => {
    expect(() => dashboard(locks, options as DashboardOptions)).toThrow(message);
  });

  test('are never quoted with a token', () => {
    expect(() => dashboard(locks, { viewToken: 'hunter2' })).toThrow(/viewToken/);
    expect(() => dashboard(locks, { viewToken: 'hunter2' })).not.toThrow(/hunter2/);
  });
});
