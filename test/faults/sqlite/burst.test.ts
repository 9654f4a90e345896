import assert from 'node:assert/strict';
import { test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openSqlite } from '../../../src/engines/sqlite/open-sqlite.ts';
import { toldClient } from '../sql/told-client.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const NAMES = 6000;
/** One for each, and a look before it where this process stands still for longer than a guess is good for. */
const MOST_A_NAME = 2.3;
/** A machine that stands still makes decisions stale, and they are made again: one burst of so many has to be as it should. */
const BURSTS = 3;

test('a burst of 6,000 free names is decided once for each name', async () => {
  using folder = new TemporaryFolder();
  let statements = 0;
  const locks = openSqlite(
    { file: folder.file() },
    { clock: systemClock, random: systemRandom, wrap: (sql) => toldClient(sql, () => statements++) },
  );
  await locks.lock('before the burst').run(() => undefined);
  const counts: number[] = [];
  while (counts.length < BURSTS && !counts.some((count) => count <= MOST_A_NAME * NAMES)) {
    statements = 0;
    const burst = `burst ${counts.length}`;
    await Promise.all(Array.from({ length: NAMES }, (_, at) => locks.lock(`${burst} ${at}`).acquire()));
    counts.push(statements);
  }
  assert.ok(counts.at(-1)! <= MOST_A_NAME * NAMES, `${counts.join(', ')} statements`);
  await locks.close();
}, 180_000);
