import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { dashboard, type Dashboard } from 'holdfast/dashboard';
import { memory } from 'holdfast/memory';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeInBrowser, startChromium } from './chromium.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

/** More than a browser has connections to one server. */
const TABS = 7;

/** The browser shows all pages as long as it has no window, so the page hears of this as of what the browser would say. */
async function turn(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

const says = (page: Page, state: string) =>
  page.locator('.state').filter({ hasText: state }).waitFor({ timeout: 30_000 });
const shows = (page: Page, name: string) =>
  page.locator('.all .row').filter({ hasText: name }).waitFor({ timeout: 30_000 });

describeInBrowser('the page in several tabs', () => {
  let browser: Browser;
  let context: BrowserContext;
  let locks: ReturnType<typeof memory>;
  let board: Dashboard;
  let server: Server;

  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(() => browser?.close());

  beforeEach(async () => {
    locks = memory();
    board = dashboard(locks, { everyMs: 100 });
    server = createServer(board.node).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    context = await browser.newContext();
  });

  afterEach(async () => {
    await context.close();
    board.close();
    server.close();
    await locks.close();
  });

  const open = async () => {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return page;
  };

  test.each([
    ['after the one before it is hidden', true],
    ['before the one before it is hidden', false],
  ])('seven tabs, each shown %s, leave connections for every request', async (_when, isHiddenFirst) => {
    await locks.lock('first').acquire();
    const pages: Page[] = [];
    for (let count = 0; count < TABS; count++) {
      const last = pages.at(-1);
      if (last !== undefined && isHiddenFirst) await turn(last, true);
      const page = await open();
      await says(page, 'Live');
      await shows(page, 'first');
      if (last !== undefined && !isHiddenFirst) await turn(last, true);
      pages.push(page);
    }
    await waitFor('only the tab that is shown has a stream', () => board.viewers === 1);
    const [first, last] = [pages[0]!, pages.at(-1)!];
    await turn(last, true);
    await turn(first, false);
    await says(first, 'Live');
    await locks.lock('later').acquire();
    await shows(first, 'later');
    await waitFor('the other one has given up its stream', () => board.viewers === 1);
    // What comes beside the stream has a connection too.
    const described = first.waitForResponse((response) => response.url().includes('/details?'));
    await first.locator('.all .row').filter({ hasText: 'later' }).click();
    expect((await described).status()).toBe(200);
  });

  test('a hidden tab goes on while no other is shown', async () => {
    const [one, other] = [await open(), await open()];
    await Promise.all([says(one, 'Live'), says(other, 'Live')]);
    expect(board.viewers).toBe(2);
    await turn(one, true);
    await waitFor('the hidden one leaves its stream to the one that is shown', () => board.viewers === 1);
    await turn(other, true);
    await locks.lock('unseen').acquire();
    await shows(other, 'unseen');
    expect(board.viewers).toBe(1);
    await turn(one, false);
    await shows(one, 'unseen');
    await waitFor('the streams change', () => board.viewers === 1);
    await says(other, 'Connecting');
  });
});
