import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sqlite } from 'holdfast/sqlite';
import { Program } from '../redis/program.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const PROGRAM = fileURLToPath(
  new URL('../../../.build/programs/test/faults/sqlite/programs/forgetful.js', import.meta.url),
);
const DEADLINE_MS = 60_000;
/** Long enough that a busy machine loses none of them. */
const renewalLeaseMs = 3000;

function startForgetful(plan: object): Program {
  return new Program('forgetful', ['--expose-gc', PROGRAM, JSON.stringify(plan)]);
}

const FORGOTTEN = new Set([
  'election "election"',
  'fairLock "fair"',
  'lock "forgotten"',
  'lock "nested"',
  'readLock "shared"',
  'semaphore "semaphore"',
]);

/** What the program was warned of, once it has released all that it had forgotten, and nothing else. */
async function forgottenBy(program: Program): Promise<ReadonlySet<unknown>> {
  const settled = await program.fact('settled', DEADLINE_MS);
  expect(settled).toMatchObject({
    held: ['kept', 'owned', 'listened', 'composed', 'late', 'running', 'semaphore', 'permits', 'monitor'],
    good: true,
  });
  expect(program.facts.filter(({ what }) => what === 'lost')).toStrictEqual([]);
  const warnings = program.facts.filter(
    ({ what, code }) => what === 'warned' && code === 'HOLDFAST_FORGOTTEN',
  );
  const subjects = warnings.map(({ message }) => /^\w+ "\w+"/.exec(String(message))?.[0]);
  expect(subjects.length).toBe(FORGOTTEN.size);
  return new Set(subjects);
}

const TEST_MS = 2 * DEADLINE_MS;

test(
  'holds in memory that no code can reach are released, with a warning, and no others',
  async () => {
    await using program = startForgetful({ renewalLeaseMs });
    expect(await forgottenBy(program)).toStrictEqual(FORGOTTEN);
    await program.end();
  },
  TEST_MS,
);

test(
  'holds in a file that no code can reach are released for other processes, and no others',
  async () => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    await using program = startForgetful({ file, renewalLeaseMs });
    await program.fact('begun', DEADLINE_MS);
    await using locks = sqlite({ file });
    await (await locks.lock('nested').acquire({ timeoutMs: DEADLINE_MS })).release();
    expect(await forgottenBy(program)).toStrictEqual(FORGOTTEN);
    for (const name of ['kept', 'running', 'listened'])
      expect(await locks.lock(name).tryAcquire()).toBeNull();
    await program.end();
  },
  TEST_MS,
);
