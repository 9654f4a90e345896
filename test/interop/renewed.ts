import { waitFor } from '../fixtures/wait-for.ts';

/** What is left of something has been seen to go up so often, which it does not do by itself. */
export async function renewed(leftMs: () => Promise<number>, times = 2): Promise<void> {
  let last = await leftMs();
  let seen = 0;
  await waitFor('it was renewed', async () => {
    const now = await leftMs();
    if (now > last) seen += 1;
    last = now;
    return seen >= times;
  });
}
