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
    // Long enough to be seen on a busy machine.
    await locks.lock('brief').acquire({ leaseMs: 5_000 });
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

  test('is usable with the keyboard alone', async () => {
    for (const name of ['a', 'b', 'c']) await locks.lock(name).acquire();
    const page = await open();
    await watched.shows('c');
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement!;
        const label =
          at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? at.labels?.[0] : null;
        return (at.getAttribute('aria-label') ?? (label ?? at).textContent ?? '')
          .replace(/(all|election|lock|[↓↑ ])+$/, '')
          .trim();
      });
    const order: string[] = [];
    for (let presses = 0; presses < 11; presses++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    const columns = ['Name', 'Kind', 'Held by', 'Lease left', 'Held for', 'Fence', 'Waiting'];
    expect(order).toEqual(['Search', 'Kind', 'Prefix', ...columns, 'Locks: arrow keys move, Enter opens']);
    const active = () =>
      page.evaluate(() => {
        const id = document.querySelector('.rows')!.getAttribute('aria-activedescendant');
        return id === null ? '' : (document.getElementById(id)?.querySelector('.name')?.textContent ?? '');
      });
    expect(await active()).toBe('a');
    await page.keyboard.press('ArrowDown');
    expect(await active()).toBe('b');
    await page.keyboard.press('End');
    expect(await active()).toBe('c');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'lock c' }).waitFor();
    await waitFor('the heading has the focus', async () => (await focused()).startsWith('c'));
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'lock c' }).waitFor({ state: 'detached' });
    expect(await focused()).toBe('Locks: arrow keys move, Enter opens');
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
