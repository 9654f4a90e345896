import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

/** Generous: a browser on two cores that it shares with many others. */
const DEADLINE_MS = 30_000;

/** A page of a dashboard, with all that must not happen on it. */
export class WatchedPage {
  readonly page: Page;
  /** Errors of scripts, and what the policy has kept from being loaded or run. */
  readonly faults: string[] = [];
  /** Requests to another server than that of the page. */
  readonly strays: string[] = [];

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.setDefaultTimeout(DEADLINE_MS);
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => {
      // A connection that is refused, and an answer that is no success, are printed by the browser itself.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.faults.push(message.text());
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) this.strays.push(request.url());
    });
  }

  static async open(
    browser: Browser,
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<WatchedPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const watched = new WatchedPage(await context.newPage(), new URL(url).origin);
    await watched.page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        // Seen by the listener for the console.
        reportError(new Error(`policy: ${violatedDirective} ${blockedURI}`));
      });
    });
    await watched.page.goto(url);
    return watched;
  }

  /** The row of a name. */
  row(name: string): Locator {
    return this.page.getByRole('row').filter({ has: this.page.getByText(name, { exact: true }) });
  }

  async shows(name: string): Promise<void> {
    await this.row(name).waitFor();
  }

  async hides(name: string): Promise<void> {
    await this.row(name).waitFor({ state: 'detached' });
  }

  /** Waits until the page says this of its connection. */
  async says(state: string): Promise<void> {
    await this.page.locator('.state').filter({ hasText: state }).waitFor();
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
