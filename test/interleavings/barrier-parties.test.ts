import { expect, test } from 'vitest';
import { ending, play } from './stage.ts';

const TWO = { parties: 2 };

// A party arrives, and its process stands still for longer than its place is kept. Meanwhile another program resets the
// barrier. When the party asks again it is not to be found: it never came to what begins now.
test('a party that was away for too long does not arrive at the next generation by asking again', async () => {
  await play(async (stage) => {
    const [sleeper, other] = [stage.near('a').barrier('x', TWO), stage.near('b').barrier('x', TWO)];
    const arriving = ending(sleeper.arrive());
    await stage.clock.sleep(1);
    stage.clock.stall(120_000);
    const resetting = other.reset();
    // What became of the party is remembered for as long as its place, and forgotten before it asks.
    stage.clock.stall(120_000);
    await resetting;
    expect(await arriving).toBe('BROKEN_BARRIER');
    expect(await other.waiting()).toBe(0);
  });
});
