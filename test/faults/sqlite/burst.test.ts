import assert from 'node:assert/strict';
import { test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openSqlite } from '../../../src/engines/sqlite/open-sqlite.ts';
import { toldClient } from '../sql/told-client.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const NAMES = 6000;
/** One for each, and a look before it where this process stands still for longer than a guess is good for. */
const MOST_A_NAME = 2.3;

test('a burst of 6,000 free names is decided once for each name', async () => {
  using folder = new TemporaryFolder();
  let statements = 0;
  const locks = openSqlite(
    { file: folder.file() },
    { clock: systemClock, random: systemRandom, wrap: (sql) => toldClient(sql, () => statements++) },
  );
  await locks.lock('before the burst').run(() => undefined);
  statements = 0;
  await Promise.all(Array.from({ length: NAMES }, (_, at) => locks.lock(`burst ${at}`).acquire()));
  assert.ok(statements <= MOST_A_NAME * NAMES, `${statements} statements`);
  await locks.close();
}, 60_000);
