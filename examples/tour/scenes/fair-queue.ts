import { say, styled } from '../screen.ts';
import type { Scene } from '../stage.ts';
import { type Errand, fenceFrom } from '../worker.ts';

const ARRIVING = ['ada', 'ben', 'cleo', 'dan', 'eva', 'finn'];
/** Waits a while, then goes away again: the line has to close up behind it. */
const IMPATIENT = 'dan';

export async function queueUp({ input, locks, ask }: Errand): Promise<void> {
  const till = locks.fairLock('till');
  const hold = await till.tryAcquire({ timeoutMs: Number(input) });
  if (hold === null) {
    await ask('leaves');
    return;
  }
  await ask('enters', String(hold.fence));
  await hold.release();
}

export const fairQueue: Scene = {
  title: 'A fair queue',
  sentence: 'Six workers want the till. First come, first served, across all of them.',
  play: async (stage) => {
    const till = stage.locks.fairLock('till');
    const line: string[] = [];
    const served: string[] = [];
    const fences: bigint[] = [];
    // All but ada, who is at the till, and the one who has gone.
    const isComplete = () => line.length === ARRIVING.length - 2 && !line.includes(IMPATIENT);
    const drop = (name: string) => void line.splice(line.indexOf(name), 1);

    const workers = [];
    for (const name of ARRIVING) {
      line.push(name);
      // ada stays at the till until the impatient one has left.
      const patienceMs = name === IMPATIENT ? 900 : 60_000;
      const worker = stage.start('queueUp', name, patienceMs, async (from, what, fence) => {
        drop(from);
        if (what === 'leaves') {
          say(styled('yellow', `  ${from} has waited long enough and leaves the line`));
          return;
        }
        say(`  at the till: ${styled('bold', from.padEnd(6))} in line: ${line.join(' ') || 'none'}`);
        served.push(from);
        fences.push(fenceFrom(fence));
        if (served.length === 1) await stage.until(() => isComplete());
        else await stage.moment(800);
      });
      workers.push(worker);
      // The next one comes when this one stands in line; otherwise there would be no order to keep.
      await stage.until(async () => (await till.isLocked()) && (await till.waiters()) >= line.length);
    }
    await Promise.all(workers.map(({ done }) => done));

    const expected = ARRIVING.filter((name) => name !== IMPATIENT);
    stage.claim('all were served in the order in which they came', served.join() === expected.join());
    stage.claim(
      'each with a higher fence than the one before',
      fences.every((fence, at) => at === 0 || fence > fences[at - 1]!),
    );
    stage.claim('and the line is empty', (await till.waiters()) === 0);
  },
};
