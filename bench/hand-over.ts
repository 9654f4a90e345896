import { Hand } from './hands.ts';
import { percentile } from './statistics.ts';
import type { TrialContestant } from './trial.ts';

/** How long the lock is held before it is released. */
interface Held {
  /** Long enough for the other process to join the queue. */
  readonly ms: number;
  /** No figure is made of these, so they need not be spread. */
  readonly warmUpMs: number;
}

const SHORTLY: Held = { ms: 3, warmUpMs: 1 };
/** Its multiples fall evenly between two milliseconds, however many there are: the golden ratio. */
const PHASE = (Math.sqrt(5) - 1) / 2;

/**
 * Warms up before any hand-over counts. Through the first three thousand hand-overs or so, the compiler interrupts one in a
 * hundred for milliseconds, and one in a hundred is what p99 measures. To take a free lock instead is quicker and does not warm
 * up the right code: a waiter that a message wakes runs other functions. All contestants warm up at once; for a contestant that
 * polls seldom the time ends the warm-up first.
 */
const WARM_UP = { full: { handOvers: 3000, forMs: 40_000 }, quick: { handOvers: 200, forMs: 500 } };
/** One process holds and releases, another waits for it, again and again. */
export function handOver(name: string): TrialContestant {
  return handOverAfter(SHORTLY, name);
}

/** The same for a store in which it takes longer to join the queue. */
export function handOverAfter(held: Held, name: string): TrialContestant {
  return {
    name,
    open: async (port, folder, speed) => {
      const first = new Hand('relay', name, port, folder);
      const second = new Hand('relay', name, port, folder);
      await warmUp(first, second, WARM_UP[speed], held.warmUpMs);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const handOversUs: number[] = [];
          while (performance.now() - start < roundMs) {
            const heldMs = held.ms + ((handOversUs.length * PHASE) % 1);
            handOversUs.push(await handedOverUs(first, second, heldMs));
          }
          return {
            'p50 µs': percentile(handOversUs, 0.5),
            'p99 µs': percentile(handOversUs, 0.99),
            'hand-overs': handOversUs.length,
          };
        },
        close: async () => {
          first.letGo();
          second.letGo();
        },
      };
    },
  };
}

/** Measures from the release in one process to the acquisition in the other. */
async function handedOverUs(first: Hand<'relay'>, second: Hand<'relay'>, heldMs: number): Promise<number> {
  await first.call('hold');
  await second.call('ask');
  // Asks before the release, not after it: the question wakes the event loop of the waiter, and its timers with it.
  const entered = second.call('entered');
  await first.call('letGoSoon', heldMs);
  const enteredUs = await entered;
  const tookUs = enteredUs - (await first.call('letGoAt'));
  await second.call('giveBack');
  return tookUs;
}

async function warmUp(
  first: Hand<'relay'>,
  second: Hand<'relay'>,
  { handOvers, forMs }: { readonly handOvers: number; readonly forMs: number },
  heldMs: number,
): Promise<void> {
  const until = performance.now() + forMs;
  for (let done = 0; done < handOvers && performance.now() < until; done += 1)
    await handedOverUs(first, second, heldMs);
}

export const handOverColumns = [
  { figure: 'p50 µs', digits: 0 },
  { figure: 'p99 µs', digits: 0 },
  { figure: 'hand-overs', digits: 0 },
];
