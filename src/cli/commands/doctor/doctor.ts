import { styleText } from 'node:util';
import { systemClock, systemRandom } from '../../../core/time/clock.ts';
import type { Finding } from '../../../spi/engine/finding.ts';
import type { Address } from '../../address.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { withLocks } from '../../queries/with-locks.ts';
import { print } from '../../output/output.ts';
import { checkUpOf } from './check-ups.ts';

/** Finds out whether the engine is fit to keep locks, and prints each finding as it comes. */
export const doctor: Command = async ({ options }, address) => {
  const show = options.has('json') ? JSON.stringify : inLines;
  let isWell = true;
  for await (const finding of checkUpWithLock(address)) {
    isWell &&= finding.level !== 'bad';
    print(show(finding));
  }
  return isWell ? EXIT.ok : EXIT.no;
};

async function* checkUpWithLock(address: Address): AsyncGenerator<Finding, void, undefined> {
  yield* await checkUpOf(address);
  yield await checkLock(address);
}

/** The proof: acquires a lock and releases it. */
async function checkLock(address: Address): Promise<Finding> {
  const about = 'a lock';
  try {
    return await withLocks(address, async (locks) => {
      const name = `holdfast-doctor:${systemRandom.id()}`;
      // The first acquisition loads scripts, creates tables and opens connections.
      await (await locks.lock(name).acquire({ timeoutMs: 5_000 })).release();
      const startedAt = systemClock.now();
      await (await locks.lock(name).acquire({ timeoutMs: 5_000 })).release();
      const tookMs = (systemClock.now() - startedAt).toFixed(1);
      return { level: 'good', about, found: `was acquired and released in ${tookMs} ms` };
    });
  } catch (error) {
    const found = `was not acquired: ${error instanceof Error ? error.message : String(error)}`;
    return { level: 'bad', about, found, advice: 'A finding above may say why.' };
  }
}

const MARKS = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const;
const COLOURS = { good: 'green', note: 'yellow', bad: 'red' } as const;
const INDENT = 6 + 14;

function inLines({ level, about, found, advice }: Finding): string {
  const mark = process.stdout.isTTY ? styleText(COLOURS[level], MARKS[level]) : MARKS[level];
  const lines = [`${mark}  ${about.padEnd(INDENT - 7)} ${found}`];
  if (advice !== undefined) lines.push(`${' '.repeat(INDENT)}${advice}`);
  return lines.join('\n');
}
