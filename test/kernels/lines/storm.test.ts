import { describe, expect, test } from 'vitest';
import { isHoldfastError } from '../../../src/index.ts';
import { SeededRandom } from '../../engines/seeded-random.ts';
import { LineFleet, type LineMember } from '../../fixtures/lines/line-fleet.ts';

const SEEDS = 40;
const STORM_MS = 60_000;

/**
 * Breaks connections, loses replies, silences clients past their sessions, ends sessions in the store, and takes tickets of waiters
 * away.
 */
async function storm(
  fleet: LineFleet,
  kind: 'lock' | 'fairLock',
  members: readonly LineMember[],
  random: SeededRandom,
): Promise<void> {
  const until = fleet.clock.now() + STORM_MS;
  while (fleet.clock.now() < until) {
    await fleet.clock.sleep(20 + 600 * random.fraction());
    const { link } = members[Math.floor(random.fraction() * members.length)]!;
    const fault = Math.floor(random.fraction() * 6);
    if (fault === 0) link.breakConnection();
    else if (fault === 1) link.loseNextReply();
    else if (fault === 2 && link.session !== undefined) fleet.server.end(link.session);
    else if (fault === 5) {
      const [, ...waiting] = fleet.line(kind, 'a');
      const ticket = waiting[Math.floor(random.fraction() * waiting.length)];
      if (ticket !== undefined) fleet.server.leave({ kind, name: 'a' }, ticket);
    } else if (fault === 3) fleet.clock.timer(300 + 12_000 * random.fraction(), link.silence());
    else fleet.clock.stall(200 * random.fraction());
  }
}

describe.each(['lock', 'fairLock'] as const)('a storm over a %s', (kind) => {
  test(`${SEEDS} seeds: a holder that believes in its hold is the first of the line, and no waiter is stuck`, async () => {
    let sections = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const fleet = new LineFleet({ sessionMs: 6000, latencyMs: 1 + (seed % 7) });
      const random = new SeededRandom(`storm-${seed}`);
      const fences: bigint[] = [];
      const problems: string[] = [];
      await fleet.run(async () => {
        const members = Array.from({ length: 3 }, () => fleet.open());
        let isOver = false;
        const work = async ({ locks, link }: LineMember): Promise<void> => {
          while (!isOver) {
            try {
              const hold = await locks[kind]('a').acquire({ timeoutMs: 20_000 });
              sections++;
              fences.push(hold.fence);
              for (let act = 0; act < 3; act++) {
                await fleet.clock.sleep(100 * random.fraction());
                const isBelieved = !hold.lost.aborted;
                const [first] = fleet.server.look({ kind, name: 'a' });
                const isEnded = first === undefined || !fleet.server.isAlive(first.session);
                // A session that the storm ends in the store is lost before its client can know.
                if (
                  isBelieved &&
                  !isEnded &&
                  first.session !== link.session &&
                  fleet.server.isAlive(link.session ?? '')
                )
                  problems.push(`seed ${seed}: ${link.session} acts while ${first.session} is in`);
              }
              await hold.release();
            } catch (error) {
              if (!isHoldfastError(error)) throw error;
              await fleet.clock.sleep(50);
            }
          }
        };
        const workers = members.flatMap((member) => [work(member), work(member)]);
        await storm(fleet, kind, members, random);
        await fleet.clock.sleep(15_000);
        isOver = true;
        await Promise.all(workers);
        const last = await members[0]!.locks[kind]('a').acquire({ timeoutMs: 30_000 });
        await last.release();
      });
      expect(problems).toEqual([]);
      expect(new Set(fences).size, `seed ${seed} repeats a fence`).toBe(fences.length);
    }
    expect(sections).toBeGreaterThan(10 * SEEDS);
  }, 120_000);
});
