import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type HolderRow, type HoldRow } from '../../../page/live/hold-rows.ts';
import { forceRelease } from '../../../page/live/requests.ts';

const holder: HolderRow = {
  owner: 'a:1',
  program: 'holdfast',
  fence: '1',
  count: 1,
  remainingMs: 1_000,
  endsAt: 1_000,
  since: 0,
  isExactAge: true,
  longestMs: 1_000,
};
const row: HoldRow = {
  id: 1,
  kind: 'lock',
  name: 'a',
  holders: [holder],
  waiters: { count: 0, counts: 'fleet' },
};

beforeEach(() => {
  vi.stubGlobal('sessionStorage', { getItem: () => null, removeItem: () => undefined });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['our own word', new Response('{"released":true}'), 'released'],
  ['the page of a login', new Response('<h1>Sign in</h1>'), 'failed'],
  ['another JSON', new Response('{"ok":true}'), 'failed'],
  ['null', new Response('null'), 'failed'],
  ['an error that says so', new Response('{"released":true}', { status: 500 }), 'failed'],
  ['a hold that is over', new Response('{"released":false}', { status: 409 }), 'too late'],
  ['a refusal', new Response('{"code":"NOT_ALLOWED"}', { status: 403 }), 'not allowed'],
])('a hold is ended by %s as it should be', async (_what, answer, outcome) => {
  const asked = vi.fn<(path: string, init: RequestInit) => Promise<Response>>(async () => answer);
  vi.stubGlobal('fetch', asked);
  expect(await forceRelease(row, holder)).toBe(outcome);
  // A session that is over leads to a login, which may answer as it likes.
  expect(asked.mock.calls[0]?.[1].redirect).toBe('error');
});

test('a release that is led elsewhere has failed', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('redirected')));
  expect(await forceRelease(row, holder)).toBe('failed');
});
