import { expect, test } from 'vitest';
import { chosenSteps } from '../fixtures/ended-at-every-step.ts';
import { useEverySynchronizer } from '../fixtures/every-synchronizer.ts';
import type { Fate, WireHooks } from '../fixtures/hooked-wire.ts';
import { UncaughtErrors } from '../fixtures/uncaught-errors.ts';
import { play } from './stage.ts';

/** Longer than a client asks again before it gives up. */
const LATER_MS = 5000;

const USUAL_STRIDE = 4;
/** A closing client asks a silent store once, and no longer than a command has: the fixture's commands have 1000 ms. */
const LONGEST_CLOSE_MS = 1500;

/** What happens at a step: the client closes, or the wire ends under it, or both. */
const ENDS = {
  'the client closes': { closes: 'now', fate: undefined },
  'the wire breaks': { closes: 'later', fate: 'broken' },
  'the wire falls silent': { closes: 'later', fate: 'lost' },
  'the client closes and the wire breaks': { closes: 'now', fate: 'broken' },
  'the client closes and the wire falls silent': { closes: 'now', fate: 'lost' },
} as const;

/** Counts the messages of one client, and calls at the one that the test has chosen. */
class Steps {
  taken = 0;
  readonly #chosen: number;
  readonly #fate: Fate | undefined;
  readonly #reached: () => void;

  constructor(chosen: number, fate: Fate | undefined, reached: () => void) {
    this.#chosen = chosen;
    this.#fate = fate;
    this.#reached = reached;
  }

  readonly #step = (): Fate | undefined => {
    if (++this.taken === this.#chosen) this.#reached();
    return this.taken >= this.#chosen ? this.#fate : undefined;
  };

  readonly hooks: WireHooks = {
    out: this.#step,
    back: this.#step,
    beatOut: this.#step,
    beatBack: this.#step,
    watch: this.#step,
    query: this.#step,
  };
}

// A client uses every synchronizer at once. Once for each message that it sends or receives, the client closes or its wire
// ends at that message. No promise of the library may reject without a handler: that ends a process.
test.each(Object.entries(ENDS))(
  'no rejection is unhandled when %s at any step',
  async (_, { closes, fate }) => {
    using rejections = new UncaughtErrors();
    let reached = true;
    const { first, stride } = chosenSteps(USUAL_STRIDE);
    let chosen = first;
    for (; reached; chosen += stride) {
      reached = false;
      await play(async (stage) => {
        const { clock } = stage;
        let closing: Promise<void> | undefined;
        const closed = async (): Promise<void> => {
          const since = clock.now();
          await subject.close();
          const tookMs = clock.now() - since;
          expect(tookMs <= LONGEST_CLOSE_MS, `closing took ${tookMs} ms at step ${chosen}`).toBeTruthy();
        };
        const steps = new Steps(chosen, fate, () => {
          reached = true;
          if (closes === 'now') closing = closed();
        });
        const subject = stage.far('subject', steps.hooks);
        const rival = stage.far('rival');
        const uses = useEverySynchronizer({
          subject,
          rival,
          sleep: (ms) => clock.sleep(ms),
          prefix: '',
        });
        await clock.sleep(LATER_MS);
        await (closing ?? closed());
        await rival.close();
        await Promise.all(uses);
      });
      expect(await rejections.soFar(), `at step ${chosen}`).toStrictEqual([]);
    }
    expect(chosen > 200, `only ${chosen} steps were taken`).toBeTruthy();
  },
  120_000,
);
