import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { describe } from 'vitest';

const REMEDY = 'install it with `apt-get install chromium`, or name one in HOLDFAST_CHROMIUM';

function chromiumPath(): string | undefined {
  const named = process.env['HOLDFAST_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
}

const isMissing = chromiumPath() === undefined;
if (isMissing) process.stderr.write(`There is no chromium here: ${REMEDY}.\n`);

/** `describe` for tests in a browser. Where the run decides about a merge they are not skipped, and fail at the start of it. */
export const describeInBrowser = isMissing && !process.env['CI'] ? describe.skip : describe;

/** A real browser without a window. In a container it cannot have its own sandbox, and shows nothing but our page. */
export async function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(`There is no chromium here: ${REMEDY}.`);
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}
