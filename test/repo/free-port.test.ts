import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** Ports as the worker in that place of this run would be given them. */
async function portsIn(place: number): Promise<Set<number>> {
  vi.stubEnv('VITEST_POOL_ID', String(place));
  vi.resetModules();
  const { freePort } = await import('../fixtures/processes/free-port.ts');
  return new Set(await Promise.all(Array.from({ length: 60 }, () => freePort())));
}

test('two workers of a run are never given the same port, nor one of them the same port twice', async () => {
  const places = [1, 2, 3, 4, 5, 6, 7, 8];
  const given: number[] = [];
  for (const place of places) given.push(...(await portsIn(place)));
  expect(new Set(given).size).toBe(given.length);
  expect(given).toHaveLength(places.length * 60);
});
