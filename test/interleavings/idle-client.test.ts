import { expect, test } from 'vitest';
import { play, warmUp } from './stage.ts';

// The client takes and gives back a lock, then does nothing for 40 minutes. What it last heard of the store's clock is
// by then so old that a limit reckoned from it would be past before the call is sent.
test('a client that was idle for long can take a free lock', async () => {
  await play(async (stage) => {
    const client = stage.far('a');
    await warmUp(client);
    await stage.clock.sleep(40 * 60_000);
    const hold = await client.lock('x').acquire();
    expect(hold.remainingMs > 0).toBeTruthy();
    await hold.release();
  });
});
