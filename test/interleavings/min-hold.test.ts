import { expect, test } from 'vitest';
import { passMicrotasks, play, sweep, warmUp } from './stage.ts';

const minHoldMs = 60_000;

/** Takes the lock as another client, and answers after how long it was free. */
async function freeAfter(clock: { now(): number }, acquire: () => Promise<{ release(): Promise<void> }>) {
  const since = clock.now();
  await (await acquire()).release();
  return clock.now() - since;
}

// The renewal is under way, for longer than usual, when the holder releases; the store carries it out afterwards.
test('a renewal that comes after the release does not lengthen a hold that is to last', () =>
  play(async (stage) => {
    let isSlow = false;
    const client = stage.far('a', {
      out: ({ verb }) => (verb === 'renew' && isSlow ? 900 : undefined),
    });
    await warmUp(client);
    const start = stage.clock.now();
    const hold = await client.lock('x').acquire({ minHoldMs });
    await stage.clock.sleep(39_000);
    isSlow = true;
    // Renewed every 10 s: one is sent a moment before the release.
    await stage.clock.sleep(start + 40_001 - stage.clock.now());
    await hold.release();
    const other = stage.far('b');
    await freeAfter(stage.clock, () => other.lock('x').acquire());
    const heldMs = stage.clock.now() - start;
    expect(heldMs).toBeGreaterThanOrEqual(minHoldMs);
    expect(heldMs).toBeLessThan(minHoldMs + 1000);
  }));

// The caller gives up, or the client closes, around the moment in which the grant arrives: no job has run under it.
for (const kind of ['lock', 'fairLock'] as const) {
  test(`a ${kind} that is withdrawn around its grant does not last, and one that was given out does`, async () => {
    const outcomes = new Set<string>();
    await sweep(40, async (stage, microtasks) => {
      const stop = new AbortController();
      let armed = false;
      const client = stage.far('a', {
        arrived: ({ verb, name }) => {
          if (verb !== 'acquire' || name !== 'x' || !armed) return;
          armed = false;
          void passMicrotasks(microtasks).then(() => stop.abort());
        },
      });
      await warmUp(client);
      armed = true;
      const outcome = await client[kind]('x')
        .acquire({ minHoldMs, signal: stop.signal })
        .then(
          async (hold) => {
            await hold.release();
            return 'held';
          },
          () => 'withdrawn',
        );
      outcomes.add(outcome);
      const other = stage.far('b');
      const ms = await freeAfter(stage.clock, () => other[kind]('x').acquire());
      expect(ms > minHoldMs - 1000, outcome).toBe(outcome === 'held');
      expect(ms < 1000, outcome).toBe(outcome === 'withdrawn');
    });
    expect(outcomes).toStrictEqual(new Set(['held', 'withdrawn']));
  });
}

// The release or its reply gets lost, and so does every copy until the caller gives up; the client goes on giving the hold
// back in the background, and then it arrives.
test.each(['out', 'back'] as const)('a release that is repeated ends no hold that is to last (%s)', (way) =>
  play(async (stage) => {
    let isDeaf = false;
    const client = stage.far('a', {
      [way]: ({ verb }: { readonly verb: string }) => (verb === 'release' && isDeaf ? 'lost' : undefined),
    });
    await warmUp(client);
    const start = stage.clock.now();
    const hold = await client.lock('x').acquire({ minHoldMs });
    isDeaf = true;
    await expect(hold.release()).rejects.toMatchObject({ code: 'ENGINE' });
    await stage.clock.sleep(5000);
    isDeaf = false;
    const other = stage.far('b');
    await freeAfter(stage.clock, () => other.lock('x').acquire());
    expect(stage.clock.now() - start).toBeGreaterThanOrEqual(minHoldMs - 1);
  }),
);

// No request of the re-entry is answered: its caller has an error, and the hold around it goes on and is released.
test.each(['out', 'back'] as const)('a re-entry that fails keeps nothing taken (%s)', (way) =>
  play(async (stage) => {
    let isDeaf = false;
    const client = stage.far('a', {
      [way]: ({ verb }: { readonly verb: string }) => (verb === 'renew' && isDeaf ? 'lost' : undefined),
    });
    await warmUp(client);
    const owner = client.owner();
    const outer = await client.lock('x').acquire({ owner });
    isDeaf = true;
    await expect(client.lock('x').acquire({ owner, minHoldMs })).rejects.toMatchObject({ code: 'ENGINE' });
    isDeaf = false;
    await outer.release();
    const other = stage.far('b');
    expect(await freeAfter(stage.clock, () => other.lock('x').acquire())).toBeLessThan(1000);
  }),
);
