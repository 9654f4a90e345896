import { describe, expect, test } from 'vitest';
import { PLANTS } from './plant.ts';
import { runSeed } from './run-seed.ts';

const SEEDS = 150;

/** What the seeds said until one of them said it; all of it if none did. */
async function said(
  plant: string,
  kind: string,
  says: RegExp,
): Promise<{ readonly red: boolean; readonly all: string }> {
  const all: string[] = [];
  for (let seed = 0; seed < SEEDS; seed++) {
    const { problems } = await runSeed(seed, { plant, kind });
    all.push(...problems);
    if (problems.some((problem) => says.test(problem))) return { red: true, all: all.join('\n') };
  }
  return { red: false, all: all.join('\n') };
}

/** What is taken out, where it shows, and what the checkers must say about it. */
const EXPECTED: readonly { plant: string; kind: string; says: RegExp }[] = [
  { plant: 'fence-off', kind: 'lock', says: /fence 1 of lock . was given out twice/ },
  { plant: 'fence-off', kind: 'election', says: /given out twice/ },
  { plant: 'deadline-off', kind: 'lock', says: /acts under lock ., which the store has/ },
  { plant: 'deadline-off', kind: 'semaphore', says: /acts under semaphore a, which the store has/ },
  { plant: 'missed-recheck', kind: 'lock', says: /wait without end/ },
  { plant: 'missed-recheck', kind: 'monitor', says: /wait without end/ },
  { plant: 'every-copy', kind: 'latch', says: /the latch counted/ },
  { plant: 'late-copies', kind: 'lock', says: /let in after it had gone/ },
  { plant: 'renew-shortens', kind: 'lock', says: /acts under lock/ },
  { plant: 'release-ends', kind: 'lock', says: /lock . was taken .* before .* let it go/ },
  { plant: 'overtaking', kind: 'fairLock', says: /was let in past/ },
  { plant: 'one-too-many', kind: 'semaphore', says: /permits taken/ },
];

describe('the checkers notice what is taken out', () => {
  for (const { plant, kind, says } of EXPECTED) {
    test(`${plant} shows in ${kind}`, { timeout: 60_000 }, async () => {
      const { red, all } = await said(plant, kind, says);
      expect(red, `${SEEDS} seeds said: ${all || 'nothing'}`).toBeTruthy();
    });
  }

  test('every plant is expected somewhere', () => {
    const planted = new Set(EXPECTED.map(({ plant }) => plant));
    expect(Object.keys(PLANTS).filter((plant) => plant !== 'none' && !planted.has(plant))).toStrictEqual([]);
  });
});

test('a seed gives the same trace each time', async () => {
  for (const seed of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
    const [first, second] = [
      await runSeed(seed, { keepTrace: true }),
      await runSeed(seed, { keepTrace: true }),
    ];
    expect(first.hash).toBe(second.hash);
    expect(first.trace.length > 50, `seed ${seed} does too little`).toBeTruthy();
  }
  const hashes = new Set<string>();
  for (const seed of [10, 11, 12]) hashes.add((await runSeed(seed, { kind: 'lock', keepTrace: true })).hash);
  expect(hashes.size).toBe(3);
});
