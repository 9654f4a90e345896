import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { connect, type Locks } from 'holdfast';
import { dashboard, type Dashboard } from 'holdfast/dashboard';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CLI, CliProcess } from '../../cli/cli-process.ts';
import { fastFolder } from '../../engines/sqlite/fast-folder.ts';
import { describeInBrowser, startChromium } from './chromium.ts';
import { WatchedPage } from './watched-page.ts';
import { freePort } from '../../fixtures/processes/free-port.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const TOKEN = 'a-token-of-some-length';

interface Place {
  readonly url: string;
  stop(): unknown;
}

describeInBrowser('in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(() => browser?.close());

  function showsOn(start: () => Promise<Place>): void {
    let place: Place;
    let worker: Locks;
    let looking: Locks;
    let board: Dashboard;
    let server: Server;
    let url: string;

    beforeAll(async () => {
      place = await start();
      worker = await connect(place.url, { name: 'checkout' });
      looking = await connect(place.url);
      board = dashboard(looking, { allowRelease: { token: TOKEN } });
      server = createServer(board.node).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    });

    afterAll(async () => {
      board.close();
      server.close();
      await worker.close();
      await looking.close();
      await place.stop();
    });

    test('a grant appears, and disappears with its release', async () => {
      const watched = await WatchedPage.open(browser, url);
      await watched.says('Live');
      const hold = await worker.lock('orders:7').acquire();
      await watched.shows('orders:7');
      expect(await watched.row('orders:7').innerText()).toContain(String(hold.fence));
      await hold.release();
      await watched.hides('orders:7');
      expect([watched.faults, watched.strays]).toEqual([[], []]);
      await watched.close();
    });

    test('a hold is ended by force once, with the token, and not without', async () => {
      const hold = await worker.lock('stuck').acquire();
      const watched = await WatchedPage.open(browser, url);
      const { page } = watched;
      await watched.row('stuck').click();
      const end = page.getByRole('button', { name: 'End this hold…' });
      await end.click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.innerText()).toContain(String(hold.fence));
      await dialog.getByLabel('Token').fill('another-token-of-length');
      await dialog.getByRole('button', { name: 'End the hold' }).click();
      await dialog.getByText('may not end it').waitFor();
      expect(await looking.lock('stuck').isLocked()).toBe(true);
      await dialog.getByLabel('Token').fill(TOKEN);
      await dialog.getByRole('button', { name: 'End the hold' }).click();
      await dialog.getByRole('status').filter({ hasText: 'The hold was ended' }).waitFor();
      expect(await looking.lock('stuck').isLocked()).toBe(false);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByText('Free at this moment.').waitFor();
      await page.getByText('taken from').waitFor();
      await hold.release().catch(() => undefined);
      expect([watched.faults, watched.strays]).toEqual([[], []]);
      await watched.close();
    });

    test('a newer hold than the one that was seen is left alone', async () => {
      const first = await worker.lock('passed on').acquire();
      const watched = await WatchedPage.open(browser, `${url}#token=${TOKEN}`);
      const { page } = watched;
      await watched.row('passed on').click();
      await page.getByRole('button', { name: 'End this hold…' }).click();
      await page.getByRole('dialog').waitFor();
      // Enter must not end a hold that was opened by mistake.
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
      await first.release();
      await using second = await looking.lock('passed on').acquire();
      await page.getByRole('button', { name: 'End the hold' }).click();
      await page.getByRole('dialog').getByText('Nothing was done').waitFor();
      second.throwIfLost();
      expect(await looking.lock('passed on').isLocked()).toBe(true);
      // The token is out of the address, which others may see or copy.
      expect(page.url()).toBe(url);
      await watched.close();
    });
  }

  describe('a page of SQLite', () => {
    showsOn(async () => {
      const folder = fastFolder();
      return {
        url: `sqlite:${join(folder, 'locks.db')}`,
        stop: () => rmSync(folder, { recursive: true, force: true }),
      };
    });
  });

  describeRedis('a page of Redis', () => {
    showsOn(() => startRedisServer());
  });

  describeWith('postgres')('a page of PostgreSQL', () => {
    showsOn(() => startPostgres());
  });

  test('a page of holdfast ui goes on when its server was killed and started again', async () => {
    const folder = fastFolder();
    const store = `sqlite:${join(folder, 'locks.db')}`;
    const port = String(await freePort());
    const start = () =>
      new CliProcess(process.execPath, [CLI, 'ui', '--port', port, '--url', store, '--every', '100ms']);
    const locks = await connect(store as 'sqlite:');
    let ui = start();
    try {
      const watched = await WatchedPage.open(browser, (await ui.printed(/http:\S+\n/)).trim());
      await watched.says('Live');
      const before = await locks.lock('before').acquire();
      await watched.shows('before');
      ui.kill('SIGKILL');
      await ui.ended;
      await watched.says('No connection');
      await before.release();
      await using during = await locks.lock('during').acquire();
      ui = start();
      await watched.shows('during');
      await watched.says('Live');
      await watched.hides('before');
      expect(await watched.row('during').innerText()).toContain(String(during.fence));
      expect(watched.strays).toEqual([]);
      await watched.close();
    } finally {
      ui.kill('SIGKILL');
      await locks.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
