import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { dashboard, type Dashboard } from 'holdfast/dashboard';
import { memory } from 'holdfast/memory';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { describeInBrowser, startChromium } from './chromium.ts';
import { WatchedPage } from './watched-page.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { contrastsIn } from './contrasts.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

describeInBrowser('the page in a browser', () => {
  let browser: Browser;
  let locks: ReturnType<typeof memory>;
  let board: Dashboard;
  let server: Server;
  let url: string;
  let watched: WatchedPage;

  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(() => browser?.close());

  beforeEach(async () => {
    locks = memory({ label: 'stage' });
    board = dashboard(locks, { everyMs: 100 });
    server = createServer(board.node).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  afterEach(async () => {
    const { faults, strays } = watched;
    if (faults.length + strays.length > 0) throw new Error([...faults, ...strays].join('\n'));
    await watched.close();
    board.close();
    server.close();
    await locks.close();
  });

  const open = async (options?: BrowserContextOptions) => {
    watched = await WatchedPage.open(browser, url, options);
    await watched.says('Live');
    return watched.page;
  };

  test('10,000 names scroll, with the elements of a few', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `job:${String(at).padStart(5, '0')}`);
    await Promise.all(names.map((name) => locks.lock(name).acquire()));
    const page = await open();
    await watched.shows('job:00000');
    const drawn = () => page.locator('.all .row').count();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('10001');
    expect(await drawn()).toBeLessThan(60);
    await page.locator('.rows').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await watched.shows('job:09999');
    expect(await drawn()).toBeLessThan(60);
    await page.locator('.rows').evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await watched.shows('job:05000');
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
    await page.getByRole('searchbox').fill('job:0777');
    await watched.shows('job:07770');
    expect(await page.locator('.count').innerText()).toBe('10 of 10,000 names');
  });

  test('a name is text, whatever is in it', async () => {
    const html = '<img src=x onerror="window.isHacked=true"><b>bold</b>';
    await using hold = await locks.lock(html).acquire();
    await using turned = await locks.lock('a\u202eb\u0007').acquire();
    await using broken = await locks.lock('a\u2028b').acquire();
    const page = await open();
    await watched.shows(html);
    await watched.shows(String.raw`a\u202eb\u0007`);
    await watched.shows(String.raw`a\u2028b`);
    await watched.row(html).click();
    await page.getByRole('heading', { level: 2 }).waitFor();
    expect(await page.evaluate(() => 'isHacked' in window)).toBe(false);
    expect(await page.locator('img, b:not(figcaption b)').count()).toBe(0);
    expect(hold.fence > 0n && turned.fence > 0n && broken.fence > 0n).toBe(true);
  });

  test('sorts, and filters by text, kind and prefix', async () => {
    for (const name of ['orders:1', 'orders:2', 'stock']) await locks.lock(name).acquire();
    await locks.election('orders:leader').campaign({ value: 'x' });
    const page = await open();
    const names = () => page.locator('.all .row .name').allInnerTexts();
    const become = (fact: readonly string[]) =>
      waitFor(fact.join(), async () => (await names()).join() === fact.join());
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await become(['orders:1', 'orders:2', 'orders:leader', 'stock']);
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await become(['stock', 'orders:leader', 'orders:2', 'orders:1']);
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    await page.getByLabel('Prefix').fill('orders:');
    await become(['orders:leader', 'orders:2', 'orders:1']);
    await page.getByLabel('Kind').selectOption('election');
    await become(['orders:leader']);
    await page.getByLabel('Kind').selectOption('');
    await page.getByLabel('Search').fill('S:2');
    await become(['orders:2']);
    await page.getByRole('status').filter({ hasText: '1 of 4 shown' }).waitFor();
  });

  test('says who waits where any of them may be next, and for which side', async () => {
    const door = locks.readWriteLock('door');
    const hold = await door.write.acquire();
    const waiting = door.read.acquire();
    const page = await open();
    await watched.row('door').click();
    await page.getByText('In no order: the first that asks once it is free gets it.').waitFor();
    expect(await page.locator('ul.line li .side').allInnerTexts()).toEqual(['read']);
    expect(await page.locator('ol.line').count()).toBe(0);
    await hold.release();
    await (await waiting).release();
  });

  test('shows the history of one lock, its line in order, and what ran out', async () => {
    const till = locks.fairLock('till');
    const first = await till.acquire();
    const waiting = [till.acquire()];
    await waitFor('one waits', async () => (await till.waiters()) === 1);
    waiting.push(till.acquire());
    await waitFor('two wait', async () => (await till.waiters()) === 2);
    const page = await open();
    // Long enough to be seen in its last tenth on a busy machine.
    await locks.lock('brief').acquire({ leaseMs: 8_000 });
    await watched.shows('brief');
    await watched.row('till').click();
    await waitFor('the line', async () => (await page.locator('.line li').count()) === 2);
    await first.release();
    const second = await waiting[0]!;
    await page
      .locator('.history li')
      .filter({ hasText: `fence ${second.fence}` })
      .waitFor();
    await page.locator('.history li').filter({ hasText: 'released by' }).waitFor();
    await waitFor('the line is shorter', async () => (await page.locator('.line li').count()) === 1);
    await second.release();
    await (await waiting[1]!).release();
    await page.getByText('Free at this moment.').waitFor();
    await watched.hides('brief');
    await waitFor('the loss', async () =>
      (await page.locator('.sums').innerText()).match(/1\s+ran out|ran out\s+1/),
    );
    expect(await page.locator('.plot canvas').count()).toBe(2);
  });

  const GRID = 'Locks: arrow keys move, Enter opens or sorts';

  /** What has the focus, by its name. */
  const focused = () =>
    watched.page.evaluate(() => {
      const at = document.activeElement!;
      const label = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? at.labels?.[0] : null;
      return (at.getAttribute('aria-label') ?? (label ?? at).textContent ?? '')
        .replace(/(all|election|lock)+$/, '')
        .trim();
    });

  /** The element that the focused grid names as the one that the keyboard is on. */
  const active = () =>
    watched.page.evaluate(() => {
      const grid = document.activeElement!;
      const id = grid.getAttribute('aria-activedescendant');
      const element = id === null ? null : document.getElementById(id);
      if (grid.getAttribute('role') !== 'grid' || element === null) return undefined;
      const row = element.closest('[role=row]')!;
      const box = element.getBoundingClientRect();
      const list = grid.querySelector('.rows')!.getBoundingClientRect();
      return {
        role: element.getAttribute('role'),
        text: (element.getAttribute('role') === 'row' ? row.querySelector('.name')! : element).textContent,
        row: row.getAttribute('aria-rowindex'),
        isMarked: getComputedStyle(element).outlineStyle === 'solid',
        isInView: row.matches('.head') || (box.top >= list.top - 1 && box.bottom <= list.bottom + 1),
      };
    });

  test('is usable with the keyboard alone', async () => {
    for (const name of ['a', 'b', 'c']) await locks.lock(name).acquire();
    const { keyboard } = await open();
    const { page } = watched;
    await watched.shows('c');
    const order: string[] = [];
    for (let presses = 0; presses < 4; presses++) {
      await keyboard.press('Tab');
      order.push(await focused());
    }
    // A grid is one stop: the arrows move in it.
    expect(order).toEqual(['Search', 'Kind', 'Prefix', GRID]);
    const row = (text: string, at: number) => ({
      role: 'row',
      text,
      row: String(at),
      isMarked: true,
      isInView: true,
    });
    expect(await active()).toEqual(row('a', 2));
    await keyboard.press('ArrowDown');
    expect(await active()).toEqual(row('b', 3));
    await keyboard.press('End');
    expect(await active()).toEqual(row('c', 4));
    await keyboard.press('ArrowDown');
    expect(await active()).toEqual(row('c', 4));
    // Into the cells and out of them.
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowRight');
    expect(await active()).toEqual({ ...row('lock', 4), role: 'gridcell' });
    await keyboard.press('Home');
    expect(await active()).toEqual({ ...row('c', 4), role: 'gridcell' });
    await keyboard.press('ArrowLeft');
    expect(await active()).toEqual(row('c', 4));
    // Up to the head, which sorts.
    await keyboard.press('Home');
    await keyboard.press('ArrowUp');
    expect(await active()).toMatchObject({ role: 'columnheader', text: 'Name', row: '1', isMarked: true });
    await keyboard.press('Enter');
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await keyboard.press(' ');
    await waitFor('sorted the other way', async () => {
      return (await page.locator('.all .row .name').allInnerTexts()).join() === 'c,b,a';
    });
    expect(await active()).toMatchObject({ role: 'columnheader', text: 'Name ↓' });
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowLeft');
    expect(await active()).toEqual(row('c', 2));
    await keyboard.press('Enter');
    await page.getByRole('region', { name: 'lock c' }).waitFor();
    await waitFor('the heading has the focus', async () => (await focused()).startsWith('c'));
    await keyboard.press('Escape');
    await page.getByRole('region', { name: 'lock c' }).waitFor({ state: 'detached' });
    await waitFor('the grid has the focus again', async () => (await focused()) === GRID);
    expect(await active()).toEqual(row('c', 2));
  });

  test('gives the focus back to the list where the details have covered it', async () => {
    for (const name of ['a', 'b']) await locks.lock(name).acquire();
    const page = await open({ viewport: { width: 900, height: 800 } });
    await watched.row('b').click();
    await page.getByRole('button', { name: 'Close' }).press('Enter');
    await waitFor('the list has the focus', async () => (await focused()) === GRID);
    expect(await active()).toMatchObject({ role: 'row', text: 'b' });
  });

  test('names the row that the keyboard is on among 10,000, also when it is scrolled away or gone', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `job:${String(at).padStart(5, '0')}`);
    const holds = await Promise.all(names.map((name) => locks.lock(name).acquire()));
    const page = await open();
    await watched.shows('job:00000');
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('10001');
    await page.getByRole('grid').focus();
    expect(await active()).toMatchObject({ text: 'job:00000', row: '2', isInView: true });
    await page.keyboard.press('End');
    await waitFor('the last row is drawn in view', async () => (await active())?.isInView);
    expect(await active()).toMatchObject({ role: 'row', text: 'job:09999', row: '10001' });
    // By a wheel: the keyboard stays where it was, and its row is in the tree.
    await page.locator('.rows').evaluate((element) => element.scrollTo(0, 0));
    await watched.shows('job:00000');
    expect(await active()).toMatchObject({ text: 'job:09999', row: '10001', isInView: false });
    const indexes = await page
      .locator('.all .row')
      .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))));
    expect(indexes).toEqual([...indexes].toSorted((one, other) => one - other));
    expect(new Set(indexes).size).toBe(indexes.length);
    await page.keyboard.press('ArrowUp');
    await waitFor('the row before it is in view', async () => (await active())?.isInView);
    expect(await active()).toMatchObject({ text: 'job:09998', row: '10000' });
    // Gone from the list: the keyboard goes on at its place.
    await holds[9_998]!.release();
    await watched.hides('job:09998');
    expect(await active()).toBeUndefined();
    await page.keyboard.press('ArrowUp');
    expect(await active()).toMatchObject({ text: 'job:09997', row: '9999' });
  });

  test('has a name for every control and picture, and one heading', async () => {
    await locks.lock('a').acquire();
    const page = await open();
    await watched.row('a').click();
    await page.getByRole('button', { name: 'Close' }).waitFor();
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select, [role=img], [role=grid], section')]
        .filter((element) => {
          const { labels } = element as HTMLInputElement;
          const text = element.matches('button') ? element.textContent : '';
          return !(element.getAttribute('aria-label') ?? (text || labels?.[0]?.textContent));
        })
        .map(({ outerHTML }) => outerHTML),
    );
    expect(unnamed).toEqual([]);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.locator('.all [role=row] > [role=gridcell]').count()).toBe(7);
  });

  test('says in words that the connection is gone', async () => {
    const page = await open();
    server.closeAllConnections();
    server.close();
    await page.getByRole('status').filter({ hasText: 'No connection' }).waitFor();
    expect(await page.locator('.state').innerText()).toContain('trying again');
  });

  test.each(['light', 'dark'] as const)('has text that can be read in %s mode', async (colorScheme) => {
    await locks.lock('a').acquire();
    const till = locks.fairLock('till');
    const hold = await till.acquire();
    const waiting = till.acquire();
    const page = await open({ colorScheme });
    await watched.row('till').click();
    await page.locator('.line li').waitFor();
    const contrasts = await contrastsIn(page);
    expect(contrasts.length).toBeGreaterThan(20);
    expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    const [red] = await page.evaluate(() =>
      getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g)!,
    );
    expect(Number(red) < 64).toBe(colorScheme === 'dark');
    await hold.release();
    await (await waiting).release();
  });

  test('fits a phone', async () => {
    await locks.lock('a-name-of-a-lock-that-is-far-too-long-for-the-screen-of-a-phone:'.repeat(3)).acquire();
    const page = await open({ viewport: { width: 390, height: 844 } });
    await page.locator('.all .row').click();
    const isTooWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await page.getByRole('button', { name: 'Close' }).waitFor();
    expect(await isTooWide()).toBe(false);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('.all .row').waitFor();
    expect(await isTooWide()).toBe(false);
    const { width } = (await page.locator('.all .row').boundingBox())!;
    expect(width).toBeLessThanOrEqual(390);
  });
});
